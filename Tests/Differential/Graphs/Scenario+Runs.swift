import Reactive
import ReactiveTesting
import RxReference

extension Scenario {
  /// Runs the scenario with `Reactive`.
  package func runByReactive() -> Journal {
    let environment = Environment()
    let scheduler = TestScheduler(initialClock: 0)
    environment.now = { scheduler.clock }
    let publish = PublishSubject<Int>()
    let behavior = BehaviorSubject(value: 0)
    let replay = ReplaySubject<Int>.create(bufferSize: 2)
    let subjects: [RxObservable<Int>] = [publish, behavior, replay]
    let senders = [AnyObserver(publish), AnyObserver(behavior), AnyObserver(replay)]
    environment.send = { subject, notification in
      switch notification {
      case .next(let element): senders[subject].onNext(element)
      case .end(let fault): senders[subject].on(.end(fault))
      }
    }
    var sources: [(number: Int, source: TestableObservable<Int>)] = []
    let hots = hots.enumerated().map { index, drawing in
      let hot = scheduler.createHotObservable(Events(drawing).recorded)
      sources.append((-1 - index, hot))
      return hot.asObservable()
    }
    let world = World(
      scheduler, environment, hots: hots, subjects: subjects
    ) { drawing, node in
      let cold = scheduler.createColdObservable(Events(drawing).recorded)
      sources.append((node, cold))
      return cold.asObservable()
    }
    var numbers = 0
    // Closures of the shared source hold the world.
    defer { world.shared = nil }
    world.shared = shared.map { world.make($0, numbers: &numbers) { $0.reactive($1) } }
    let observable = world.make(graph, numbers: &numbers) { $0.reactive($1) }

    let subscriptions = observers.map { _ in SerialDisposable() }
    environment.journal.events = observers.map { _ in [] }
    environment.dispose = { if $0 < subscriptions.count { subscriptions[$0].dispose() } }
    for (index, plan) in observers.enumerated() {
      scheduler.scheduleAt(plan.subscribesAt) {
        subscriptions[index].disposable = observable.subscribe { event in
          environment.receive(Journal.Entry(event, at: scheduler.clock), observer: index)
          if case .next(let element) = event {
            try? environment.perform(plan.action, -1 - index, element)
          }
        }
      }
      scheduler.scheduleAt(plan.disposesAt) { subscriptions[index].dispose() }
    }
    scheduler.start()
    for (number, source) in sources {
      for subscription in source.subscriptions {
        environment.journal.subscriptions.append(
          Journal.Subscription(
            source: number, subscribed: subscription.subscribe, disposed: subscription.unsubscribe))
      }
    }
    return environment.journal.sorted()
  }

  private static let turn = Lock()

  /// Runs the scenario with the reference.
  package func runByReference() -> Journal { Scenario.turn.withLock { runAlone() } }

  private func runAlone() -> Journal {
    let environment = Environment()
    let clock = VirtualClock()
    environment.now = { clock.now }
    let subjects = [
      Subject<Int>(), Subject(replaying: 1, [0], replaysAfterEnd: false), Subject(replaying: 2),
    ]
    environment.send = { subject, notification in
      switch notification {
      case .next(let element): subjects[subject].next(element)
      case .end(let fault): subjects[subject].end(fault)
      }
    }
    let hots = hots.enumerated().map { Stream.hot($1, clock, environment, number: -1 - $0) }
    let world = World(
      clock, environment, hots: hots, subjects: subjects.map(\.stream)
    ) { drawing, node in Stream.cold(drawing, clock, environment, number: node) }
    var numbers = 0
    // Closures of the shared source hold the world.
    defer { world.shared = nil }
    world.shared = shared.map { world.make($0, numbers: &numbers) { $0.reference($1) } }
    let stream = world.make(graph, numbers: &numbers) { $0.reference($1) }

    let subscriptions = observers.map { _ in Disposal() }
    environment.journal.events = observers.map { _ in [] }
    environment.dispose = { if $0 < subscriptions.count { subscriptions[$0].dispose() } }
    for (index, plan) in observers.enumerated() {
      let subscription = subscriptions[index]
      clock.at(plan.subscribesAt) {
        var isOver = false
        let inner = Disposal { isOver = true }
        let observer = RxReference.Observer<Int>(isOver: { isOver }) { notification in
          if isOver { return }
          if case .end = notification { isOver = true }
          environment.receive(Journal.Entry(notification, at: clock.now), observer: index)
          switch notification {
          case .next(let element): try? environment.perform(plan.action, -1 - index, element)
          case .end: inner.dispose()
          }
        }
        inner.add(stream.subscribe(observer))
        subscription.add(inner)
      }
      clock.at(plan.disposesAt) { subscription.dispose() }
    }
    clock.run()
    return environment.journal.sorted()
  }
}

// MARK: - Hot and cold sources

extension Events {
  var recorded: [Recorded<Event<Int>>] {
    var recorded: [Recorded<Event<Int>>] = elements.map { .next($0.time, $0.element) }
    if let end { recorded.append(Recorded(time: end.time, value: .end(end.fault))) }
    return recorded
  }

  var notifications: [(time: Int, notification: Notification<Int>)] {
    var notifications = elements.map { ($0.time, Notification.next($0.element)) }
    if let end { notifications.append((end.time, .end(end.fault))) }
    return notifications
  }
}

extension Stream<Int> {
  /// A hot source: delivers to the current observers.
  fileprivate static func hot(
    _ drawing: [Int], _ clock: VirtualClock, _ environment: Environment, number: Int
  ) -> Stream {
    var observers: [(disposal: Disposal, observer: RxReference.Observer<Int>)] = []
    for (time, notification) in Events(drawing).notifications {
      clock.at(time) {
        for (disposal, observer) in observers where !disposal.isDisposed && !observer.isOver() {
          observer.on(notification)
        }
      }
    }
    return Stream { observer in
      let disposal = environment.subscription(of: number)
      observers.append((disposal, observer))
      disposal.add(Disposal { observers.removeAll { $0.disposal === disposal } })
      return disposal
    }
  }

  /// A cold source: delivers to each observer from its subscription on.
  fileprivate static func cold(
    _ drawing: [Int], _ clock: VirtualClock, _ environment: Environment, number: Int
  ) -> Stream {
    Stream { observer in
      let disposal = environment.subscription(of: number)
      for (time, notification) in Events(drawing).notifications {
        clock.at(clock.now + time) {
          if !disposal.isDisposed, !observer.isOver() { observer.on(notification) }
        }
      }
      return disposal
    }
  }
}

extension Environment {
  fileprivate func subscription(of source: Int) -> Disposal {
    let index = journal.subscriptions.count
    journal.subscriptions.append(Journal.Subscription(source: source, subscribed: now()))
    return Disposal { [self] in journal.subscriptions[index].disposed = now() }
  }
}

extension Journal.Entry {
  fileprivate init(_ event: Event<Int>, at time: Int) {
    switch event {
    case .next(let element): self.init(time: time, kind: .next, value: element)
    case .error(let error): self.init(time: time, kind: .error, value: Fault(error).code)
    case .completed: self.init(time: time, kind: .completed, value: 0)
    }
  }

  fileprivate init(_ notification: Notification<Int>, at time: Int) {
    switch notification {
    case .next(let element): self.init(time: time, kind: .next, value: element)
    case .end(let fault?): self.init(time: time, kind: .error, value: fault.code)
    case .end(nil): self.init(time: time, kind: .completed, value: 0)
    }
  }
}

extension Fault {
  init(_ error: any Error) {
    switch error {
    case let fault as Fault: self = fault
    case RxError.timeout: self = .timeout
    case RxError.noElements: self = .noElements
    case RxError.moreThanOneElement: self = .moreThanOneElement
    case RxError.argumentOutOfRange: self = .argumentOutOfRange
    default: self = Fault(-1)
    }
  }
}
