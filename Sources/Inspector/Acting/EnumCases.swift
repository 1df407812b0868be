/// The cases of an enum that is known only while the program runs.
enum EnumCases {
  /// The names of the cases of `type`: those with associated values first, in the order of the source.
  ///
  /// Associated values that need no memory, such as `Void` and `Never`, count as none.
  ///
  /// Empty for a type that is no enum, and for an enum that was compiled without reflection metadata.
  static func names(of type: Any.Type) -> [String] {
    EnumMetadata(of: type)?.caseNames ?? []
  }

  /// The name of the case of `value`, one of `names`; nil when it cannot be found out.
  ///
  /// A value that describes itself, or has a mirror of its own, may hide it.
  static func name(of value: Any, among names: [String]) -> String? {
    let label = Mirror(reflecting: value).children.first?.label
    let name = EnumMetadata.plainName(label ?? String(describing: value))
    return names.contains(name) ? name : nil
  }
}
