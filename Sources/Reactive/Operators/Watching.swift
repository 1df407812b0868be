extension ObservableType {
  /// Calls closures beside the sequence, which passes unchanged.
  ///
  /// Each runs where the event arrives, before it is passed on, the `after` ones after. An error
  /// thrown by one ends the result with that error and disposes of the source. `onSubscribe` runs before
  /// the source is subscribed and `onSubscribed` after; `onDispose` when the subscription has ended, in
  /// whichever way.
  @preconcurrency
  @inlinable
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable<Element> {
    Observable { [run] down in
      onSubscribe?()
      run(
        Observer(
          down.lifetime,
          next: { element in
            down.attempt {
              try onNext?(element)
              down.next(element)
              try afterNext?(element)
            }
          },
          end: { error in
            down.attempt {
              if let error { try onError?(error) } else { try onCompleted?() }
              down.end(error)
              if let error { try afterError?(error) } else { try afterCompleted?() }
            }
          }
        )
      )
      onSubscribed?()
      if let onDispose { down.lifetime.add(ActionDisposable(onDispose)) }
    }
  }
}
