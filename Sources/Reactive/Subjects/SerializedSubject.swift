/// A subject that several threads may send to at once.
///
/// One thread delivers at a time, in the order in which the elements arrive. Elements of other
/// threads are queued meanwhile. A thread that sends to a long queue waits for its turn, for 10
/// milliseconds at most (<doc:Contract>). An observer that sends delivers nested, as with every
/// subject.
public final class SerializedSubject<Element>: Observable<Element>, SubjectType, ObserverType,
  @unchecked Sendable
{
  // Immutable; the gate admits one sending thread at a time.
  private let gate = SerialGate()
  private let send: (Event<Element>) -> Void

  fileprivate init<Subject: SubjectType>(_ subject: Subject)
  where Subject.Element == Element, Subject.Observer.Element == Element {
    let (observer, source) = (subject.asObserver(), subject.asObservable())
    send = { observer.on($0) }
    super.init(.direct) { source.start($0) }
  }

  /// Delivers an event now, or queues it while another thread delivers.
  public func on(_ event: Event<Element>) { gate.run(event, send) }

  /// Returns this subject, which is an observer.
  public func asObserver() -> SerializedSubject<Element> { self }
}

extension SubjectType where Observer.Element == Element {
  /// Returns a subject for several threads, which may send to it at once.
  ///
  /// All events must then be sent to the returned subject, and none to this one directly. Observers
  /// may subscribe to either.
  public func serialized() -> SerializedSubject<Element> { SerializedSubject(self) }
}
