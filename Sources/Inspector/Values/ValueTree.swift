/// Builds the node of a value level by level, so that what lies deep is left out first, and without
/// recursion: a value may be nested as deep as memory allows.
struct ValueTree {
  /// The node of the value.
  private(set) var root: ValueNode

  /// A value of the tree; its parts have the indices `children`.
  private struct Entry {
    var part: ValuePart
    let parent: Int
    let depth: Int
    var node = ValueNode.null
    var path: [String] = []
    var identity: ObjectIdentifier?
    var children = 0..<0
  }

  /// - Parameters:
  ///   - path: names that lead to the part
  ///   - from: position of the first child of the root
  ///   - count: number of the root's children
  init(_ reader: ValueReader, _ part: ValuePart, under path: [String], from: Int, count: Int) {
    root = .null
    var entries = [Entry(part: part, parent: -1, depth: 0, path: path)]
    var textBytes = reader.limits.textBytes
    var index = 0
    while index < entries.count {
      let range = index == 0 ? (from, count) : (0, reader.limits.children)
      Self.read(index, of: &entries, range, &textBytes, reader)
      // Only the node is needed from here.
      entries[index].part = ValuePart(name: entries[index].part.name, value: ())
      index += 1
    }
    for index in entries.indices.reversed() {
      let children = entries[index].children.map {
        ValueNode.Child(name: entries[$0].part.name, value: entries[$0].node)
      }
      for child in entries[index].children { entries[child].node = .null }
      entries[index].node = entries[index].node.with(children)
    }
    root = entries[0].node
  }

  private static func read(
    _ index: Int, of entries: inout [Entry], _ range: (from: Int, count: Int),
    _ textBytes: inout Int, _ reader: ValueReader
  ) {
    let (part, limits) = (entries[index].part, reader.limits)
    if part.isHidden { return entries[index].node = .redacted }
    if part.isRest { return entries[index].node = .cut(.size, type: "") }
    if index > 0 { entries[index].path = entries[entries[index].parent].path + [part.name] }
    let textLimit = min(limits.stringBytes, max(textBytes, 100))
    switch reader.level(of: part.value, under: entries[index].path, textLimit: textLimit) {
    case .leaf(let node, let size):
      textBytes -= size
      entries[index].node = node
    case .parts(let parts):
      expand(index, parts, of: &entries, range, reader)
    }
  }

  private static func expand(
    _ index: Int, _ parts: ValueParts, of entries: inout [Entry], _ range: (from: Int, count: Int),
    _ reader: ValueReader
  ) {
    let room = reader.limits.nodes - entries.count
    let depth = entries[index].depth
    let total = parts.count
    var shownRange = (from: 0, count: total)
    switch parts.kind {
    case .object, .enumCase:
      if total > room { return entries[index].node = .cut(.size, type: parts.type) }
    case .list, .dictionary: shownRange = (range.from, max(0, min(range.count, room)))
    }
    if depth >= reader.limits.depth, total > 0 {
      return entries[index].node = .cut(.depth, type: parts.type)
    }
    if let identity = parts.identity, isCycle(identity, above: index, in: entries) {
      return entries[index].node = .cut(.cycle, type: parts.type)
    }
    entries[index].identity = parts.identity
    let shown = parts.parts(from: shownRange.from, count: shownRange.count, reader)
    let start = entries.count
    entries += shown.map { Entry(part: $0, parent: index, depth: depth + 1) }
    entries[index].children = start..<entries.count
    entries[index].node = parts.node(count: shown.count < total ? total : nil)
  }

  /// Whether the object is one of those that contain the entry.
  private static func isCycle(
    _ identity: ObjectIdentifier, above index: Int, in entries: [Entry]
  ) -> Bool {
    var parent = entries[index].parent
    while parent >= 0 {
      if entries[parent].identity == identity { return true }
      parent = entries[parent].parent
    }
    return false
  }
}

extension ValueParts {
  /// The node without its children.
  fileprivate func node(count: Int?) -> ValueNode {
    switch kind {
    case .object: .object(type: type, [])
    case .list: .list(type: type, [], count: count)
    case .dictionary: .dictionary(type: type, [], count: count)
    case .enumCase(let name): .enumCase(name, type: type, [])
    }
  }
}

extension ValueNode {
  /// This node with children; itself if it has none.
  fileprivate func with(_ children: [Child]) -> ValueNode {
    switch self {
    case .object(let type, _): .object(type: type, children)
    case .list(let type, _, let count): .list(type: type, children, count: count)
    case .dictionary(let type, _, let count): .dictionary(type: type, children, count: count)
    case .enumCase(let name, let type, _): .enumCase(name, type: type, children)
    default: self
    }
  }
}
