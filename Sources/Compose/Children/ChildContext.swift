/// The context of a child's effects, which is created when it is first needed.
@usableFromInline class ChildContext {
  /// What reduces around the child on this thread, as in the slot of ``EffectContext``.
  ///
  /// Set while the child's code runs.
  @usableFromInline final var parent: UnsafeMutableRawPointer?
  private final let owner: AnyObject
  private final let identity: AnyObject
  private final var contexts: (parent: EffectContext, own: EffectContext)?

  /// The context of the effects of `owner`, whose ids `identity` distinguishes from those of others.
  @usableFromInline init(owner: AnyObject, identity: AnyObject) {
    (self.owner, self.identity) = (owner, identity)
  }

  /// The context, inside that of the parent that reduces here.
  final var context: EffectContext? {
    guard let parent = EffectContext.context(parent) else { return nil }
    if let contexts, contexts.parent === parent { return contexts.own }
    let own = parent.embedded(owner: owner, identity: identity)
    contexts = (parent, own)
    return own
  }
}
