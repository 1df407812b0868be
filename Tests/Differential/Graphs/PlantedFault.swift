import Reactive
import RxReference

/// Faulty operators that the differential test must find.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// `flatMap` delivers an element of an inner observable that has ended.
  case elementAfterEnd
  /// `from` does not alternate with other sources.
  case trampolineOrder
  /// `debounce` waits a tick too long.
  case debounceTick
  /// `share` subscribes once for each observer.
  case shareTwice
  /// `concat` keeps a source that has completed.
  case concatKeepsSource
  /// `combineLatest` completes with the first of its sources.
  case combineLatestEndsEarly
  /// `do` does not call `onDispose`.
  case silentDisposal
  /// `retry` makes one attempt too many.
  case retryTooOften

  /// All operators, with this fault in one of them.
  package var operators: [Operator] {
    Operator.all.map { $0.name == name ? faulty($0) : $0 }
  }

  private var name: String {
    switch self {
    case .elementAfterEnd: "flatMap"
    case .trampolineOrder: "of"
    case .debounceTick: "debounce"
    case .shareTwice: "share"
    case .concatKeepsSource: "concat"
    case .combineLatestEndsEarly: "combineLatest"
    case .silentDisposal: "do"
    case .retryTooOften: "retry"
    }
  }

  private func faulty(_ original: Operator) -> Operator {
    switch self {
    case .elementAfterEnd:
      original.with(reactive: { c in
        c.a.flatMap { (try c(0, $0) % 2 == 0 ? c.b : .just($0)).concat(RxObservable.just(-1)) }
      })
    case .trampolineOrder:
      original.with(reactive: { c in
        .create { observer in
          for element in 0..<c[0] { observer.onNext(element) }
          observer.onCompleted()
          return Disposables.create()
        }
      })
    case .debounceTick:
      original.with(reactive: { $0.a.debounce(.seconds($0[0] + 1), scheduler: $0.time) })
    case .shareTwice: original.with(reactive: { $0.a })
    case .concatKeepsSource: original.with(reference: { .keepingConcat($0.a, $0.b) })
    case .combineLatestEndsEarly:
      original.with(reactive: { c in
        let (a, b) = (c.a.materialize().share(), c.b.materialize().share())
        return .combineLatest(a.dematerialize(), b.dematerialize()) { try c(0, $0) &* 100 &+ $1 }
          .take(until: RxObservable.merge(a, b).filter(\.isCompleted))
      })
    case .silentDisposal:
      original.with(reactive: { c in
        c.a.do(
          onNext: { _ = try c(0, $0) }, afterNext: { _ = try c(1, $0) },
          onError: { _ in _ = try c(2, 0) }, afterError: { _ in _ = try c(3, 0) },
          onCompleted: { _ = try c(2, 1) }, afterCompleted: { _ = try c(3, 1) },
          onSubscribe: { c.note(.called, 2) }, onSubscribed: { c.note(.called, 3) })
      })
    case .retryTooOften: original.with(reactive: { $0.a.retry($0[0] + 1) })
    }
  }
}

extension Stream {
  /// Retains both until the result has ended.
  fileprivate static func keepingConcat(_ first: Stream, _ second: Stream) -> Stream {
    .producer { sink in
      let both = Disposal()
      let observer = RxReference.Observer<Element>(isOver: { sink.isOver }) { notification in
        if case .end(nil) = notification {
          both.add(second.subscribe(sink.forwarding))
        } else {
          sink.forwarding.on(notification)
        }
      }
      both.add(first.subscribe(observer))
      return both
    }
  }
}
