extension DocCArchive {
  /// A member of a type.
  struct Member {
    let type: String
    let title: String
    let node: RenderNode
  }

  /// The members of all types, sorted by type and name.
  var members: [Member] {
    nodes.values.compactMap { node in
      let parts = node.identifier.url.split(separator: "/").dropFirst(3)
      guard parts.count > 1, !node.isGroup, let type = parts.dropLast().last else { return nil }
      return Member(type: String(type), title: node.title, node: node)
    }.sorted { ($0.type, $0.title, $0.node.path) < ($1.type, $1.title, $1.node.path) }
  }

  /// The pages of the module's articles: its first page comes first.
  var articles: [RenderNode] {
    let found = nodes.values.filter(\.isArticle)
    return found.sorted { ($0.depth, $0.title) < ($1.depth, $1.title) }
  }

  /// The pages of the module's types and free functions, by name.
  var types: [RenderNode] {
    let found = nodes.values.filter { !$0.isArticle && $0.depth == 3 }
    return found.sorted { $0.title < $1.title }
  }
}
