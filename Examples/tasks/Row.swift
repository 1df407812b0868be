import Sockets

/// A row of the list: a task.
final class Row: Composer {
  enum Action: Codable, Equatable { case toggle, rename(String) }

  @ComposableState var state = Item()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ item: inout Item, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle: item.isDone.toggle()
    case .rename(let title): item.title = title
    }
    return .none
  }
}
