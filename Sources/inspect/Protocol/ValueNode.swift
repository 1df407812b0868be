/// A value of the program, as the protocol's section "Values" describes it.
struct ValueNode: Codable, Equatable, Sendable {
  struct Child: Codable, Equatable, Sendable {
    let name: String
    let value: ValueNode
  }

  let kind: String
  var text: String?
  var type: String?
  /// The bytes of the whole text, of which `text` is the beginning.
  var size: Int?
  var children: [Child]?
  /// The number of all children, if there are more.
  var count: Int?
}
