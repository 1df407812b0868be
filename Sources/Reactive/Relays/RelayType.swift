/// A subject that cannot end: it accepts elements and delivers them to its observers.
public protocol RelayType<Element>: ObservableType {
  /// Delivers `element` to all observers.
  func accept(_ element: Element)
}

extension PublishRelay: RelayType {}
extension BehaviorRelay: RelayType {}
extension ReplayRelay: RelayType {}
