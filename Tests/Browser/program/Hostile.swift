import Inspector

/// A composer with texts that a page must not take for HTML, and with values that are too large for it.
final class Hostile: Composer {
  enum Action: Sendable {
    case insert(String)
    case logIn(password: String)
    case load(String)
  }

  struct Row: Identifiable, Equatable, Sendable {
    let id: String
    var title: String
  }

  /// A link of a long chain.
  final class Link: Sendable {
    let next: Link?
    init(_ next: Link?) { self.next = next }
  }

  /// An object that refers to itself.
  final class Cycle: @unchecked Sendable {
    // Written once, before the object is shared.
    private(set) var itself: Cycle?
    init() { itself = self }
  }

  struct State: Sendable {
    var text = Hostile.script
    var image = Hostile.image
    var control = "nul \u{0} escape \u{1b}[31m override \u{202e}desrever\u{202c} isolate \u{2066}"
    var byKey = [Hostile.script: 1, Hostile.image: 2]
    var password = "hunter2"
    var cycle = Cycle()
    var chain = (0..<10_000).reduce(Link(nil)) { link, _ in Link(link) }
    var long = String(repeating: "0123456789", count: 1_000_000)
    var rows = (0..<10_000).map { Row(id: "\($0) \(Hostile.image)", title: Hostile.script) }
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String { Hostile.image }
  }

  static let script = "<script>window.wasHarmed = true; alert('harm')</script>"
  static let image = #"<img src="x" onerror="window.wasHarmed = true; alert('harm')">"#

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .insert(let text):
      state.text = text
      state.rows.insert(Row(id: text, title: text), at: 0)
    case .logIn(let password): state.password = password
    case .load(let id): return .run { _ in throw Failure() }.cancellable(id: id)
    }
    return .none
  }

  static func all() -> [AnyObject] {
    let hostile = Composed(sending: Hostile())
    hostile.send(.insert(script))
    hostile.send(.insert(image))
    hostile.send(.insert(String(repeating: image, count: 100_000)))
    hostile.send(.logIn(password: "swordfish"))
    hostile.send(.load(script))
    return [hostile]
  }
}
