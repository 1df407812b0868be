import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

// Begin of the feature.
/// An item of the list, which is bought and loads its price while it is shown.
private final class Item: Composer {
  enum Action: Equatable { case toggle, priced(Int), remove }
  struct State: Equatable, Identifiable {
    let id: Int
    var title: String
    var isBought = false
    var price: Int?
  }

  @ComposableState var state = State(id: 0, title: "")
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let shop: Shop

  init(_ shop: Shop) { self.shop = shop }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle: state.isBought.toggle()
    case .priced(let price): state.price = price
    case .remove: return .dismiss
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.price == nil {
      StateEffect(id: state.title) { [shop] in .run(shop.price(state.title).map(Action.priced)) }
    }
  }
}

/// The sheet that edits the title of an item, and closes itself when it is saved.
private final class Editor: Composer {
  enum Action: Equatable { case type(String), save, saved, cancel }
  struct State: Equatable, Identifiable {
    let id: Int, isNew: Bool; var title = "", isSaving = false
  }

  @ComposableState var state = State(id: 0, isNew: true)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let shop: Shop

  init(_ shop: Shop) { self.shop = shop }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .type(let title):
      state.title = title
      return .none
    case .save:
      state.isSaving = true
      return .run(shop.save(state.title).map { .saved })
    case .saved, .cancel: return .dismiss
    }
  }
}

/// A list of items, with a sheet that edits one and a stack of the ones that are shown.
private final class Shopping: Composer {
  enum Action: Equatable {
    case item(Int, Item.Action), editor(Editor.Action), screen(Int, Item.Action)
    case add, edit(Int), show(Int), back, link([Int])
  }
  struct State: Equatable {
    var items: IdentifiedArray<Item.State> = []
    var editor: Editor.State?
    var path: ScreenStack<Item.State> = []
    var lastID = 0
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let items: Children<State, Action, Int, Item>
  private let editor: Child<State, Action, Editor>
  private let screens: Children<State, Action, Int, Item>

  init(_ shop: Shop) {
    items = Children(\State.items, Action.item) { Item(shop) }
    editor = Child(\State.editor, Action.editor) { Editor(shop) }
    screens = Children(\State.path, Action.screen) { Item(shop) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .item(let id, let action): return items.reduce(&state, id, action)
    case .screen(let id, let action): return screens.reduce(&state, id, action)
    case .editor(let action):
      if action == .saved, let edited = state.editor {
        state.items.updateOrAppend(Item.State(id: edited.id, title: edited.title))
      }
      return editor.reduce(&state, action)
    case .add:
      state.lastID += 1
      state.editor = Editor.State(id: state.lastID, isNew: true)
    case .edit(let id):
      state.editor = state.items[id: id].map { .init(id: id, isNew: false, title: $0.title) }
    case .show(let id): if let item = state.items[id: id] { state.path.push(item) }
    case .back: state.path.pop()
    case .link(let ids): state.path.replace(with: ids.compactMap { state.items[id: $0] })
    }
    return .none
  }
}
// End of the feature.

/// What the feature depends on.
private struct Shop: Sendable {
  var price: @Sendable (String) -> Observable<Int>
  var save: @Sendable (String) -> Observable<Void>
}

extension Shop {
  /// Answers after a second: a price for each letter.
  fileprivate static let stub = Shop(
    price: { title in
      .just(title.count).delay(.seconds(1), scheduler: EffectContext.clock)
    },
    save: { _ in .just(()).delay(.seconds(1), scheduler: EffectContext.clock) })
}

@Suite("A list with rows, a sheet and a stack of screens", .workerPool)
struct ShoppingTests {
  @Test func `an item is added by the sheet, priced, shown, bought and removed`() {
    let test = TestComposer(Shopping(.stub))
    test.send(.add) {
      $0.lastID = 1
      $0.editor = Editor.State(id: 1, isNew: true)
    }
    test.send(.editor(.type("milk"))) { $0.editor?.title = "milk" }
    test.send(.editor(.save)) { $0.editor?.isSaving = true }
    test.advance(by: .seconds(1))
    test.receive(.editor(.saved)) { $0.items = [Item.State(id: 1, title: "milk")] }
    test.receiveDismissal(of: Editor.self) { $0.editor = nil }
    test.advance(by: .seconds(1))
    test.receive(.item(1, .priced(4))) { $0.items[id: 1]?.price = 4 }
    test.send(.show(1)) { $0.path.push(Item.State(id: 1, title: "milk", price: 4)) }
    test.send(.screen(0, .toggle)) { $0.path[id: 0]?.isBought = true }
    test.send(.back) { $0.path.pop() }
    test.send(.item(1, .remove))
    test.receiveDismissal(of: Item.self) { $0.items = [] }
    test.finish()
  }

  @Test func `a replaced sheet does not save, and a removed item is not priced`() {
    let test = TestComposer(Shopping(.stub), exhaustivity: .off)
    test.send(.add)
    test.send(.editor(.save))
    test.send(.add)
    test.advance(by: .seconds(5))
    #expect(test.state.items.isEmpty)
    #expect(test.state.editor?.id == 2)
    test.finish()
  }

  @Test func `the feature has at most 110 lines`() throws {
    let lines = try String(contentsOfFile: #filePath, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0.hasPrefix("// Begin of the feature") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("// End of the feature") })
    #expect(end - begin - 1 <= 110)
  }
}
