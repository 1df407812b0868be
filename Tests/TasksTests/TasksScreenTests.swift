import Foundation
import ReactiveTesting
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import tasks

@MainActor
@Suite("The screen of tasks", .workerPool)
struct TasksScreenTests {
  private let time = VirtualTime { $0.api = .unreachable }

  private final class Pages { var last: Page? }

  private func screen(_ items: IdentifiedArray<Item>, _ pages: Pages = Pages()) -> TasksScreen {
    time.run { TasksScreen(App(SharedValue(TaskList(items: items)))) { pages.last = $0 } }
  }

  private func press(_ keys: String, on screen: TasksScreen) {
    for key in Key.keys(in: keys) { #expect(screen.press(key) == nil) }
  }

  @Test func `a toggle of one of ten thousand rows changes that row only`() {
    let screen = screen(.samples())
    let ids = screen.composer.state.sync.tasks.items.ids
    let changed = Locked<[Item]>([])
    let bag = DisposeBag()
    for id in ids {
      screen.composer.$state.select(\.sync.tasks.items[id: id]).skip(1)
        .drive(onNext: { item in changed.withLock { $0 += item.map { [$0] } ?? [] } })
        .disposed(by: bag)
    }
    screen.composer.action.accept(.row(ids[7_000], .toggle))
    #expect(
      changed.withLock { $0 } == [Item(id: ids[7_000], title: "Task 7001", isDone: true)])
  }

  @Test func `keys edit, undo and open tasks`() {
    let screen = screen([milk, bread])
    press("j ", on: screen)
    #expect(screen.composer.state.sync.tasks.items.map(\.isDone) == [false, true])
    press("e!\n", on: screen)
    #expect(screen.composer.state.sync.tasks.items[1].title == "bread!")
    press("uu", on: screen)
    #expect(screen.composer.state.sync.tasks.items == [milk, bread])
    press("k\n\n", on: screen)
    #expect(
      screen.composer.state.path.screens
        == [.detail(milk.id), .history(History.State(id: milk.id))])
    press("\u{7F}\u{7F}", on: screen)
    #expect(screen.composer.state.path.isEmpty)
    #expect(screen.press(.character("o")) == .plug)
    #expect(screen.press(.character("q")) == .quit)
  }

  @Test func `a page has the rows around the cursor`() {
    let pages = Pages()
    let screen = screen(.samples(), pages)
    press(String(repeating: "j", count: 100), on: screen)
    #expect(
      pages.last?.lines(width: 30, height: 7) == [
        " tasks   10000 of 10000   offl", "",
        "   [ ] Task 100", " > [ ] Task 101", "   [ ] Task 102",
        "", " j k move  space toggle  e edi",
      ])
    press("n\n", on: screen)
    #expect(pages.last?.lines(width: 40, height: 7).last == " title: _  A task needs a title.")
  }

  @Test func `a search shows the tasks that it has found`() {
    let pages = Pages()
    let screen = screen([milk, bread], pages)
    press("/RE", on: screen)
    time.advance(by: .seconds(1))
    #expect(
      pages.last?.lines(width: 30, height: 7) == [
        " tasks   1 of 2   offline", "", " > [ ] bread", "", "", "", " search: RE_",
      ])
    press("\n", on: screen)
    press("\u{1B}", on: screen)
    #expect(pages.last?.lines(width: 30, height: 7)[2] == " > [ ] milk")
  }

  @Test func `what the terminal sends at once is keys`() {
    #expect(Key.keys(in: "a \n\u{7F}") == [.character("a"), .character(" "), .enter, .backspace])
    #expect(Key.keys(in: "\u{1B}[A") + Key.keys(in: "\u{1B}[B") == [.up, .down])
    #expect(Key.keys(in: "\u{1B}") == [.escape])
  }
}
