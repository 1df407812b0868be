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
///
/// Two stacks are equal when they have equal screens with equal ids.
public struct ScreenStack<Screen> {
  /// A screen with its id.
  public struct Element: Identifiable {
    /// The number of the screen, in the order of the pushes, from 0.
    public let id: Int
    /// The state of the screen.
    public var screen: Screen
    /// Identifies the push: a screen of a new stack may have the id of a screen of this one.
    @usableFromInline let push = ElementVersion.next()

    private enum CodingKeys: CodingKey { case id, screen }

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
  ///
  /// Setting them keeps the longest common beginning of the old and the new ids, and pops the other
  /// screens. SwiftUI's `NavigationStack(path:)` sets them when its user goes back.
  public var ids: [Int] {
    get { elements.ids }
    set {
      let kept = zip(elements.ids, newValue).prefix { $0 == $1 }.count
      removeLast(elements.count - kept)
    }
  }

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

  /// Calls `body` with the screen with this id, of which it is the only owner, and its push; returns
  /// false if there is none.
  @inlinable mutating func modify(_ id: Int, _ body: (inout Screen, ElementVersion) -> Void) -> Bool
  {
    modifyPresent(&elements[id: id]) { body(&$0.screen, $0.push) }
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
  /// The new screens have new ids, unlike those of a new stack in place of this one, whose ids begin
  /// at 0.
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

extension ScreenStack: Equatable where Screen: Equatable {
  /// Whether the stacks have equal screens with equal ids.
  public static func == (first: Self, second: Self) -> Bool { first.elements == second.elements }
}

extension ScreenStack: Hashable where Screen: Hashable {
  /// Hashes the screens and their ids.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension ScreenStack: Codable where Screen: Codable {
  private enum CodingKeys: CodingKey { case elements, nextID }

  /// Decodes the screens with their ids.
  ///
  /// - Throws: `DecodingError.dataCorrupted` when two screens have the same id, when an id is negative
  ///   or not below the next one, and when the next one is 2⁵³ or more, which no stack has reached.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    elements = try container.decode(IdentifiedArray<Element>.self, forKey: .elements)
    nextID = try container.decode(Int.self, forKey: .nextID)
    // Below the largest number of JSON that is exact everywhere, pushes have no end.
    guard nextID >= 0, Int64(nextID) < 1 << 53 else {
      throw DecodingError.dataCorruptedError(
        forKey: .nextID, in: container,
        debugDescription: "The next id is \(nextID), and not a number from 0 to below 2⁵³.")
    }
    if let wrong = elements.ids.first(where: { !(0..<nextID).contains($0) }) {
      throw DecodingError.dataCorruptedError(
        forKey: .elements, in: container,
        debugDescription: "A screen has the id \(wrong), and not one from 0 to below \(nextID).")
    }
  }

  /// Encodes the screens with their ids, and the next id.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(elements, forKey: .elements)
    try container.encode(nextID, forKey: .nextID)
  }
}

extension ScreenStack.Element: Sendable where Screen: Sendable {}

extension ScreenStack.Element: Equatable where Screen: Equatable {
  /// Whether the screens and their ids are equal.
  public static func == (first: Self, second: Self) -> Bool {
    first.id == second.id && first.screen == second.screen
  }
}

extension ScreenStack.Element: Hashable where Screen: Hashable {
  /// Hashes the screen and its id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(screen)
  }
}

extension ScreenStack.Element: Codable where Screen: Codable {}

extension ScreenStack: CustomStringConvertible, CustomReflectable {
  /// The screens with their ids: `[0: list, 3: detail]`.
  public var description: String {
    elements.isEmpty ? "[]" : "[" + map { "\($0.id): \($0.screen)" }.joined(separator: ", ") + "]"
  }

  /// The screens with their ids.
  public var customMirror: Mirror {
    Mirror(self, children: map { ("\($0.id)", $0.screen as Any) }, displayStyle: .struct)
  }
}
