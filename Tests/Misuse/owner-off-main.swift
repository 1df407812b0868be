// refused: default initializer for 'Owner' cannot be both nonisolated and main actor-isolated
//
// `@Compose` binds to the main actor, so its owner must be there.
import Compose

class Owner {
  @Compose var composer = Counter()
}
