extension ReplayingHub {
  /// The remembered elements and all later ones, to late observers also the end.
  ///
  /// - Parameter owner: kept alive while the observable has observers.
  package func observable(keeping owner: AnyObject & Sendable) -> Observable<Element> {
    Observable(.direct) { down in
      down.lifetime.add(ActionDisposable { withExtendedLifetime(owner) {} })
      self.add(down, replaysAfterEnd: true)
    }
  }
}
