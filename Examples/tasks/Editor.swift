import Sockets

/// A sheet with the title of a task, which closes itself; its parent then changes the task.
final class Editor: Composer {
  enum Action: Codable, Equatable { case type(String), save, cancel }

  struct State: Codable, Equatable, Identifiable {
    let id: Item.ID
    var title = ""
    var isSaved = false
    @PresentState var alert: String?

    /// Whether the task can have this title.
    var isValid: Bool { !title.allSatisfy(\.isWhitespace) }
  }

  @ComposableState var state = State(id: Item().id)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .type(let title): state.title = title
    case .save:
      state.isSaved = state.isValid
      if state.isSaved { return .dismiss }
      state.alert = "A task needs a title."
    case .cancel: return .dismiss
    }
    return .none
  }
}
