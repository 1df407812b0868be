extension String {
  /// This text without the addresses by which Swift describes what has no name at run time, so that
  /// the text is the same in each run.
  ///
  /// - A private type in a collection: `[App.(unknown context at $55d0).Row(id: 1)]` becomes
  ///   `[Row(id: 1)]`.
  /// - A computed component of a key path: `\State.<computed 0x55d0 (Bool)>` becomes `\State.(Bool)`.
  @usableFromInline package var withoutAddresses: String {
    guard contains("(unknown context at $") || contains("<computed 0x") else { return self }
    var kept: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "("), rest.starts(with: "(unknown context at $".utf8) {
        // The context has a qualified name, which is of no use without the context.
        while let last = kept.last, last.isPartOfQualifiedName { kept.removeLast() }
        rest = rest.drop { $0 != UInt8(ascii: ")") }.dropFirst().drop { $0 == UInt8(ascii: ".") }
      } else if byte == UInt8(ascii: "<"), rest.starts(with: "<computed 0x".utf8) {
        let type = rest.drop { $0 != UInt8(ascii: "(") }.throughClosingParenthesis
        kept += Array(String(decoding: type, as: UTF8.self).withoutAddresses.utf8)
        rest = rest[type.endIndex...].drop { $0 == UInt8(ascii: ">") }
      } else {
        kept.append(byte)
        rest.removeFirst()
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether this byte may be part of `App.Row`.
  fileprivate var isPartOfQualifiedName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes up to the parenthesis that closes the one at the beginning.
  fileprivate var throughClosingParenthesis: Self {
    var depth = 0
    for index in indices {
      if self[index] == UInt8(ascii: "(") { depth += 1 }
      if self[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return self[...index] }
    }
    return self
  }
}
