/// A subject that several threads may send to at once.
///
/// One thread delivers at a time, in the order in which the elements arrive. Meanwhile the elements of other threads
/// are queued; a thread that sends to a long queue waits for its turn, for 10 milliseconds at most (<doc:Contract>).
/// Sending from within an observer delivers nested, as with every subject.
public final class SerializedSubject<Element>: Observable<Element>, SubjectType, ObserverType,
  @unchecked Sendable
{
  // Immutable; the gate lets one thread at a time send.
  private let gate = Gate()
  private let send: (Event<Element>) -> Void

  fileprivate init<Subject: SubjectType>(_ subject: Subject)
  where Subject.Element == Element, Subject.Observer.Element == Element {
    let (observer, source) = (subject.asObserver(), subject.asObservable())
    send = { observer.on($0) }
    super.init(.direct) { source.start($0) }
  }

  /// Delivers an event: now, or after the thread that delivers has delivered what is queued.
  public func on(_ event: Event<Element>) { gate.run(event, send) }

  /// This subject as an observer.
  public func asObserver() -> SerializedSubject<Element> { self }
}

extension SubjectType where Observer.Element == Element {
  /// This subject for several threads, which may send to what is returned at once; nobody may send to this one
  /// directly then.
  ///
  /// Observers may be of either.
  public func serialized() -> SerializedSubject<Element> { SerializedSubject(self) }
}
