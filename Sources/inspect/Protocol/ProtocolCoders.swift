import Foundation

// The times of a virtual clock may be any numbers, which JSON writes as texts.

extension JSONDecoder {
  /// Decodes messages of the protocol.
  static let ofProtocol: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()
}

extension JSONEncoder {
  /// Encodes in one line, the names sorted.
  static let ofProtocol: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()

  func text(of value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }
}
