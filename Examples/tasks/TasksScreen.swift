import Sockets

/// Owns the app, and binds it to a terminal.
@MainActor
final class TasksScreen: Composable {
  @Compose var composer: App
  var disposeBag = DisposeBag()
  private(set) var page: Page {
    didSet { draw(page) }
  }
  private let draw: @MainActor (Page) -> Void

  /// - Parameter draw: called with each page.
  init(_ app: App, draw: @escaping @MainActor (Page) -> Void) {
    _composer = Compose(wrappedValue: app)
    self.draw = draw
    page = Page(state: app.state)
    composer.$state.observable
      .drive(with: self) { screen, state in screen.page.state = state }
      .disposed(by: disposeBag)
    composer.$state.present(\.sync.$alert)
      .compactMap(\.self)
      .drive(with: self) { screen, alert in screen.page.message = alert }
      .disposed(by: disposeBag)
  }

  /// Shows a message until the next key.
  func show(_ message: String) { page.message = message }

  /// Sends the action of the key, or returns another command.
  func press(_ key: Key) -> Page.Command? {
    let command = page.press(key)
    guard case .send(let action) = command else { return command }
    composer.action.accept(action)
    return nil
  }
}
