extension Multicast {
  /// What is told from now on, after what is remembered, also after the end; `owner` lives as long as
  /// somebody observes.
  package func observable(keeping owner: AnyObject & Sendable) -> Observable<Element> {
    Observable(.direct) { down in
      down.lifetime.add(ActionDisposable { withExtendedLifetime(owner) {} })
      self.add(down, replaysAfterEnd: true)
    }
  }
}
