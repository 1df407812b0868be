/// The screens of a navigation, from the first that was pushed to the one that is shown.
///
/// ```swift
/// struct State { var path: ScreenStack<Screen.State> = [] }
///
/// let screens = Children(\State.path, Action.screen) { Screen() }
///
/// case .screen(let id, let action): return screens.reduce(&state, id, action)
/// case .open(let item): state.path.push(.detail(Detail.State(item)))
/// ```
///
/// A screen keeps its id, a number, from its push to its pop, and no other screen of the stack has the
/// same one, not even later. ``Children`` thereby ends the effects of a screen that is popped.
public struct ScreenStack<Screen> {
  /// A screen with its id.
  public struct Element: Identifiable {
    /// The number of the screen, in the order of the pushes, from 0.
    public let id: Int
    /// The state of the screen.
    public var screen: Screen

    init(id: Int, screen: Screen) { (self.id, self.screen) = (id, screen) }
  }

  @usableFromInline var elements: IdentifiedArray<Element> = []
  private var nextID = 0

  /// Creates a stack without screens, which shows what lies below it.
  public init() {}

  /// Creates a stack of these screens; the last one is shown.
  public init(_ screens: some Sequence<Screen>) { for screen in screens { push(screen) } }

  // MARK: Reading

  /// The screens, from the first to the one that is shown.
  public var screens: [Screen] { elements.map(\.screen) }

  /// The ids of the screens, in the same order.
  public var ids: [Int] { elements.ids }

  /// The screen that is shown; nil without screens.
  public var top: Screen? { elements.last?.screen }

  // MARK: Changing

  /// The screen with this id; nil if there is none.
  ///
  /// Setting a screen replaces the one with this id, and does nothing if there is none. Setting nil
  /// pops the screen and those above it.
  public subscript(id id: Int) -> Screen? {
    get { elements[id: id]?.screen }
    set { if let newValue { elements[id: id]?.screen = newValue } else { pop(from: id) } }
  }

  /// Calls `body` with the screen with this id, of which it is the only owner; returns false if there
  /// is none.
  @inlinable mutating func modify(_ id: Int, _ body: (inout Screen) -> Void) -> Bool {
    modifyPresent(&elements[id: id]) { body(&$0.screen) }
  }

  /// Shows a screen above the others, and returns its id.
  @discardableResult public mutating func push(_ screen: Screen) -> Int {
    defer { nextID += 1 }
    elements.append(Element(id: nextID, screen: screen))
    return nextID
  }

  /// Removes the screen that is shown, and returns it; nil without screens.
  @discardableResult public mutating func pop() -> Screen? {
    elements.isEmpty ? nil : elements.remove(at: elements.count - 1).screen
  }

  /// Removes the screens above the one with this id, which is shown then; does nothing if there is
  /// none.
  public mutating func pop(to id: Int) {
    guard let position = elements.index(id: id) else { return }
    removeLast(elements.count - position - 1)
  }

  /// Removes the screen with this id and those above it; does nothing if there is none.
  public mutating func pop(from id: Int) {
    guard let position = elements.index(id: id) else { return }
    removeLast(elements.count - position)
  }

  /// Removes all screens.
  public mutating func popAll() { elements.removeAll() }

  /// Shows these screens, as for a link into the app, in place of the present ones, which end.
  ///
  /// The new screens have new ids. A new stack in place of this one would begin with the ids of
  /// screens that exist, and continue their effects.
  public mutating func replace(with screens: some Sequence<Screen>) {
    popAll()
    for screen in screens { push(screen) }
  }

  private mutating func removeLast(_ count: Int) {
    for _ in 0..<count { elements.remove(at: elements.count - 1) }
  }
}

extension ScreenStack: RandomAccessCollection {
  /// 0, the position of the first screen.
  public var startIndex: Int { 0 }

  /// The number of screens.
  public var endIndex: Int { elements.count }

  /// The screen at this position, with its id.
  public subscript(position: Int) -> Element { elements[position] }
}

extension ScreenStack: ExpressibleByArrayLiteral {
  /// Creates a stack of these screens; the last one is shown.
  public init(arrayLiteral screens: Screen...) { self.init(screens) }
}

extension ScreenStack: Sendable where Screen: Sendable {}
extension ScreenStack: Equatable where Screen: Equatable {}
extension ScreenStack: Hashable where Screen: Hashable {}
extension ScreenStack: Encodable where Screen: Encodable {}
extension ScreenStack: Decodable where Screen: Decodable {}
extension ScreenStack.Element: Sendable where Screen: Sendable {}
extension ScreenStack.Element: Equatable where Screen: Equatable {}
extension ScreenStack.Element: Hashable where Screen: Hashable {}
extension ScreenStack.Element: Encodable where Screen: Encodable {}
extension ScreenStack.Element: Decodable where Screen: Decodable {}

extension ScreenStack: CustomStringConvertible, CustomReflectable {
  /// The screens, like the elements of an array.
  public var description: String { "\(screens)" }

  /// The screens, like the elements of an array.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: screens, displayStyle: .collection)
  }
}
