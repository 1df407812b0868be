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
      let disposal = onDispose.map { DisposalAfterEnd($0) }
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
            disposal?.hold()
            defer { disposal?.release() }
            down.attempt {
              if let error { try onError?(error) } else { try onCompleted?() }
              down.end(error)
              if let error { try afterError?(error) } else { try afterCompleted?() }
            }
          }
        )
      )
      onSubscribed?()
      if let disposal { down.lifetime.add(ActionDisposable { disposal.dispose() }) }
    }
  }
}

/// Calls a closure when a subscription is disposed of; but while its end is being told, not before
/// everybody has been told.
@usableFromInline
final class DisposalAfterEnd: Sendable {
  private enum State { case free, held, due, done }

  private let state = Locked(State.free)
  private let onDispose: @Sendable () -> Void

  @usableFromInline
  init(_ onDispose: @escaping @Sendable () -> Void) { self.onDispose = onDispose }

  @usableFromInline
  func hold() {
    state.withLock { if $0 == .free { $0 = .held } }
  }

  @usableFromInline
  func dispose() { move(from: .free, else: .due) }

  @usableFromInline
  func release() {
    let isDue = state.withLock { state in
      if state == .held { state = .free }
      return state == .due
    }
    if isDue { move(from: .due, else: .done) }
  }

  /// Calls the closure when the state is `calling`, otherwise a held state becomes `other`.
  private func move(from calling: State, else other: State) {
    let isCalled = state.withLock { state in
      if state == calling {
        state = .done
        return true
      }
      if state == .held { state = other }
      return false
    }
    if isCalled { onDispose() }
  }
}
