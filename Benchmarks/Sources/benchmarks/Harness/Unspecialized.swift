import Reactive

/// The same chains in generic code that the compiler must not specialise: the cost for a program that
/// wraps the library in generic code of another module.
enum Unspecialized {
  /// The subject that is sent to, and the subscription to the result.
  typealias Chain<Element> = (send: (Element) -> Void, subscription: any Disposable)

  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  static func subject<Element>(_ add: @escaping @Sendable (Element) -> Void) -> Chain<Element> {
    let subject = PublishSubject<Element>()
    return ({ subject.onNext($0) }, subject.subscribe(onNext: add))
  }

  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  static func map3<Element>(
    _ first: @escaping @Sendable (Element) -> Element,
    _ isIncluded: @escaping @Sendable (Element) -> Bool,
    _ last: @escaping @Sendable (Element) -> Element,
    _ add: @escaping @Sendable (Element) -> Void
  ) -> Chain<Element> {
    let subject = PublishSubject<Element>()
    let stages = subject.map(first).filter(isIncluded).map(last)
    return ({ subject.onNext($0) }, stages.subscribe(onNext: add))
  }

  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  static func stages20<Element>(
    _ transform: @escaping @Sendable (Element) -> Element,
    _ isIncluded: @escaping @Sendable (Element) -> Bool,
    _ add: @escaping @Sendable (Element) -> Void
  ) -> Chain<Element> {
    let subject = PublishSubject<Element>()
    var stages = subject.asObservable()
    for _ in 0..<10 { stages = stages.map(transform).filter(isIncluded) }
    return ({ subject.onNext($0) }, stages.subscribe(onNext: add))
  }
}
