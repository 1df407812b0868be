extension ObservableType {
  /// Returns an observable that delivers the source's elements through `subject` once connected.
  ///
  /// All connections use `subject`. While a thread still delivers an element of the previous
  /// connection, elements of the next one are queued (<doc:Contract>).
  public func multicast<Subject: SubjectType>(_ subject: Subject)
    -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
  {
    // A thread may still deliver the last element of a connection when the next one begins to emit.
    multicasting(SerialGate()) { subject }
  }

  /// Returns an observable that delivers the source's elements through a subject once connected.
  ///
  /// - Parameter makeSubject: makes the subject of a connection; called again for an observer or a
  ///   connection after the end of the previous connection. When two threads come first at once,
  ///   both call it and one of the subjects is dropped.
  @preconcurrency public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting(nil, makeSubject)
  }

  /// - Parameter gate: gate of a subject that several connections send to, or nil
  private func multicasting<Subject: SubjectType>(
    _ gate: SerialGate?, _ makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    let source = asObservable()
    return ConnectableObservable(
      ConnectionLifecycle {
        let subject = makeSubject()
        let observer = subject.asObserver()
        return SharedConnection { connection, lifetime in
          let receive = { (element: Element) in
            if !connection.isClosed { observer.onNext(element) }
          }
          let end = { (error: (any Error)?) in
            guard connection.close() else { return }
            connection.release { observer.on(.end(error)) }
          }
          source.start(
            Observer(
              lifetime, next: gate?.guarded(receive) ?? receive,
              end: gate.map { lifetime.finishing($0.guarded(end)) } ?? end))
        } observe: {
          subject.asObservable().start($1)
        }
      })
  }

  /// Shares the source through a subject in the observable that `selector` makes.
  ///
  /// Each subscription makes a subject, and emits the elements of the observable that `selector`
  /// returns for the shared source. An error that a closure throws ends the result.
  @preconcurrency public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return Observable<Result> { down in
      down.attempt {
        let subject = try subjectSelector()
        let connectable = source.multicasting(nil) { subject }
        down.runResult { try selector(connectable) }
        _ = connectable.connections.connect(within: down.lifetime)
      }
    }
  }
}
