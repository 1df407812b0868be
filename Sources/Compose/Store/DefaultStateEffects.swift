/// Finds the composers whose ``Composer/stateEffects(_:)`` is the default, which has not to be called
/// again: the context of a call costs as much as a tenth of a step.
@usableFromInline enum DefaultStateEffects {
  /// A call of `stateEffects(_:)` that is watched.
  private struct Call {
    let composer: UnsafeMutableRawPointer
    var isOfDefault = false
  }

  private static let threadSlot = ThreadSlot()

  /// Calls `body`, and returns whether it calls the default of `composer`.
  @usableFromInline static func areReturned(by composer: some Composer, _ body: () -> Void) -> Bool
  {
    var call = Call(composer: Unmanaged.passUnretained(composer).toOpaque())
    withUnsafeMutablePointer(to: &call) { threadSlot.holding($0, body) }
    return call.isOfDefault
  }

  /// Notes that the default of `composer` is called; another composer may call it for its own list.
  @usableFromInline static func noteCall(of composer: some Composer) {
    guard let call = threadSlot.pointer?.assumingMemoryBound(to: Call.self) else { return }
    if call.pointee.composer == Unmanaged.passUnretained(composer).toOpaque() {
      call.pointee.isOfDefault = true
    }
  }
}
