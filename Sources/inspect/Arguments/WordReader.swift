/// The words of a command line, separated into options and the rest.
struct WordReader {
  private var options: [String: String] = [:]
  private var words: [String] = []

  /// - Parameters:
  ///   - flags: the options without a value
  ///   - valued: the options with one
  init(
    _ words: some Sequence<String>, flags: Set<String>, valued: Set<String>
  ) throws(ArgumentError) {
    var rest = words.makeIterator()
    while let word = rest.next() {
      if word == "--" {
        while let word = rest.next() { self.words.append(word) }
      } else if flags.contains(word) {
        options[word] = ""
      } else if valued.contains(word) {
        guard let value = rest.next() else { throw .missingValue(word) }
        options[word] = value
      } else if word.hasPrefix("--") {
        throw .unknownOption(word)
      } else {
        self.words.append(word)
      }
    }
  }

  func has(_ flag: String) -> Bool { options[flag] != nil }

  func value(_ option: String) -> String? { options[option] }

  func number(_ option: String) throws(ArgumentError) -> Int? {
    guard let value = options[option] else { return nil }
    return try Self.number(value, of: option)
  }

  func seconds(_ option: String) throws(ArgumentError) -> Double? {
    guard let value = options[option] else { return nil }
    guard let seconds = Double(value), seconds.isFinite, seconds > 0 else {
      throw .notSeconds(value, of: option)
    }
    return seconds
  }

  /// Removes the next word that is no option.
  mutating func word(_ name: String) throws(ArgumentError) -> String {
    if words.isEmpty { throw .missing(name) }
    return words.removeFirst()
  }

  mutating func number(named name: String) throws(ArgumentError) -> Int {
    try Self.number(try word(name), of: name)
  }

  /// The number in the next word; nil without one.
  mutating func number(ifNamed name: String) throws(ArgumentError) -> Int? {
    words.isEmpty ? nil : try number(named: name)
  }

  mutating func address() throws(ArgumentError) -> InspectorAddress {
    if words.isEmpty { throw .missingAddress }
    return try InspectorAddress(words.removeFirst())
  }

  /// Throws when a word is left.
  func end() throws(ArgumentError) {
    if let word = words.first { throw .unexpected(word) }
  }

  private static func number(_ word: String, of name: String) throws(ArgumentError) -> Int {
    // Rows print events as #12.
    let digits = word.hasPrefix("#") ? word.dropFirst() : word[...]
    guard let number = Int(digits), number >= 0 else { throw .notANumber(word, of: name) }
    return number
  }
}
