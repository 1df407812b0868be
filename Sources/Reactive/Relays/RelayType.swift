/// A subject that cannot end.
public protocol RelayType<Element>: ObservableType {
  /// Delivers `element` to all.
  func accept(_ element: Element)
}

extension PublishRelay: RelayType {}
extension BehaviorRelay: RelayType {}
extension ReplayRelay: RelayType {}
