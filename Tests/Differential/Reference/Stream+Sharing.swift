extension Stream {
  /// Shares one subscription at a time.
  ///
  /// - Parameters:
  ///   - replay: the number of elements that a new observer receives first.
  ///   - isForever: whether stored elements and the end outlive a connection.
  package func share(replay: Int, isForever: Bool) -> Stream {
    let kept = isForever ? Subject<Element>(replaying: replay) : nil
    return Stream<Element>.Connections(self) { kept ?? Subject<Element>(replaying: replay) }.counted
  }

  package func multicast<Result>(
    _ subject: @escaping () throws -> Subject<Element>,
    _ selector: @escaping (Stream) throws -> Stream<Result>
  ) -> Stream<Result> {
    .producer { sink in
      let subscription = Disposal()
      sink.attempt {
        let subject = try subject()
        let connections = Connections(self) { subject }
        subscription.add(sink.follow { try selector(connections.stream) })
        subscription.add(
          connections.connect(until: { sink.isOver }, isReleased: { sink.isReleased }))
      }
      return subscription
    }
  }

  /// A connectable observable.
  package final class Connections {
    private final class Connection {
      let subject: Subject<Element>
      let shared = SharedDisposal()
      var isConnected = false
      var hasBegun = false

      init(_ subject: Subject<Element>) { self.subject = subject }
    }

    private let upstream: Stream
    private let makeSubject: () -> Subject<Element>
    private var latest: Connection?
    /// Whether the call that subscribes for a connection has not returned.
    private var isSubscribing = false

    package init(_ upstream: Stream, _ makeSubject: @escaping () -> Subject<Element>) {
      self.upstream = upstream
      self.makeSubject = makeSubject
    }

    /// Observes without connecting.
    package var stream: Stream { Stream { self.current().subject.stream.subscribe($0) } }

    /// - Parameters:
    ///   - isOver: whether the connection is no longer wanted
    ///   - isReleased: whether no observer retains the connection
    package func connect(
      until isOver: () -> Bool = { false }, isReleased: @escaping () -> Bool = { false }
    ) -> Disposal {
      let connection = current()
      let holding = connection.shared.retained(isReleased: isReleased)
      connection.isConnected = true
      if !isOver() { begin(connection) }
      return Disposal([holding, connection.shared.source])
    }

    /// Connects with the first observer, and disconnects with the last.
    package var counted: Stream {
      Stream { [self] observer in
        let connection = current()
        let holding = connection.shared.retained(isReleased: observer.isReleased)
        let subscription = connection.subject.stream.subscribe(observer)
        // A subject that has ended needs no connection. Sources on the trampoline emit after that.
        if !observer.isOver() { Trampoline.enter { begin(connection) } }
        return Disposal([subscription, holding])
      }
    }

    private func current() -> Connection {
      if let latest, !latest.shared.source.isDisposed, !(latest.hasBegun && latest.shared.isOver) {
        return latest
      }
      let made = Connection(makeSubject())
      latest = made
      return made
    }

    /// RxSwift begins the next connection also while the call that subscribes for the one before is
    /// running; here it waits for its return.
    private func begin(_ connection: Connection) {
      if isSubscribing || connection.hasBegun || connection.shared.isOver { return }
      connection.hasBegun = true
      // Who subscribes holds it until that is done, whoever has left meanwhile.
      let subscribing = connection.isConnected ? nil : connection.shared.retained { false }
      let observer = Observer<Element>(isOver: { connection.shared.isOver }) {
        [self] notification in
        if connection.shared.isOver { return }
        switch notification {
        case .next(let element): connection.subject.next(element)
        case .end(let fault):
          // An observer that subscribes during the end starts a new connection.
          if latest === connection { latest = nil }
          connection.shared.source.dispose()
          connection.subject.end(fault)
        }
      }
      isSubscribing = true
      connection.shared.source.add(upstream.subscribe(observer))
      isSubscribing = false
      subscribing?.dispose()
      if let latest { begin(latest) }
    }
  }
}
