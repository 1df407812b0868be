extension ObservableType {
  /// Calls closures at the events of the sequence, which pass unchanged.
  ///
  /// Each closure runs on the thread of the event, before the event is passed on, or after it for
  /// `after...`. An error that a closure throws ends the result and disposes of the source.
  /// `onSubscribe` runs before the subscription to the source, and `onSubscribed` after it.
  /// `onDispose` runs when the subscription has ended or is disposed of.
  @preconcurrency @inlinable public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable<Element> {
    Observable { [run] down in
      let disposal = onDispose.map { DisposalAfterEnd($0) }
      onSubscribe?()
      run(
        Observer(
          down.lifetime,
          next: { element in
            down.attempt {
              try onNext?(element)
              if down.lifetime.isDisposed { return }
              down.next(element)
              try afterNext?(element)
            }
          },
          end: { error in
            // The source may end again after a downstream operator has ended the subscription.
            if down.lifetime.isDisposed { return }
            disposal?.beginEnd()
            defer { disposal?.finishEnd() }
            down.attempt {
              if let error { try onError?(error) } else { try onCompleted?() }
              down.end(error)
              if let error { try afterError?(error) } else { try afterCompleted?() }
            }
          }))
      onSubscribed?()
      if let disposal { down.lifetime.add(ActionDisposable { disposal.dispose() }) }
    }
  }
}

/// Calls a closure once when a subscription is disposed of.
///
/// While the end of the subscription is delivered, the call is delayed until the delivery returns.
@usableFromInline final class DisposalAfterEnd: Sendable {
  private let state = Locked((isEnding: false, isDue: false))
  private let onDispose: @Sendable () -> Void

  @usableFromInline init(_ onDispose: @escaping @Sendable () -> Void) { self.onDispose = onDispose }

  @usableFromInline func beginEnd() { change { $0.isEnding = true } }

  @usableFromInline func finishEnd() { change { $0.isEnding = false } }

  @usableFromInline func dispose() { change { $0.isDue = true } }

  private func change(_ body: (inout (isEnding: Bool, isDue: Bool)) -> Void) {
    let isCalled = state.withLock { state in
      body(&state)
      if state.isEnding || !state.isDue { return false }
      state.isDue = false
      return true
    }
    if isCalled { onDispose() }
  }
}
