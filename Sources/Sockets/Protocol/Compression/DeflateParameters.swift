/// The parameters of permessage-deflate in an offer or an answer (RFC 7692, section 7.1).
struct DeflateParameters: Equatable {
  static let name = "permessage-deflate"

  /// 7.1.1.1: the server begins each message with an empty window.
  var serverNoContextTakeover = false
  /// 7.1.1.2: the client begins each message with an empty window.
  var clientNoContextTakeover = false
  /// 7.1.2.1: the size of the server's window; nil for any.
  var serverMaxWindowBits: Int?
  /// 7.1.2.2: the size of the client's window.
  ///
  /// Nil in an offer means that the client cannot limit it; in an answer, that it need not.
  var clientMaxWindowBits: Int?

  /// The kind of header that has the parameters.
  enum Place { case offer, answer }

  /// Reads the parameters; nil if one is unknown, is repeated, or has an invalid value (7, 7.1).
  init?(_ parameters: [WebSocketExtension.Parameter], in place: Place) {
    var seen = Set<String>()
    for parameter in parameters {
      guard seen.insert(parameter.name).inserted else { return nil }
      switch (parameter.name, parameter.value) {
      case ("server_no_context_takeover", nil): serverNoContextTakeover = true
      case ("client_no_context_takeover", nil): clientNoContextTakeover = true
      case ("server_max_window_bits", let value?):
        guard let bits = Self.windowBits(value) else { return nil }
        serverMaxWindowBits = bits
      case ("client_max_window_bits", let value?):
        guard let bits = Self.windowBits(value) else { return nil }
        clientMaxWindowBits = bits
      // 7.1.2.2: in an offer the value may be missing: the server chooses it.
      case ("client_max_window_bits", nil) where place == .offer: clientMaxWindowBits = 15
      default: return nil
      }
    }
  }

  init() {}

  /// 7.1.2: 8 to 15, in decimal without leading zeros.
  private static func windowBits(_ value: String) -> Int? {
    (8...15).first { String($0) == value }
  }

  /// The parameters as an element of the header.
  var element: WebSocketExtension {
    var element = WebSocketExtension(name: Self.name)
    func add(_ name: String, _ value: Int? = nil) {
      element.parameters.append(.init(name: name, value: value.map { String($0) }))
    }
    if serverNoContextTakeover { add("server_no_context_takeover") }
    if clientNoContextTakeover { add("client_no_context_takeover") }
    if let serverMaxWindowBits { add("server_max_window_bits", serverMaxWindowBits) }
    if let clientMaxWindowBits { add("client_max_window_bits", clientMaxWindowBits) }
    return element
  }
}

// MARK: - Negotiating

extension DeflateParameters {
  /// The offers of a client, the preferred one first.
  ///
  /// A server that cannot limit its window declines the first offer (7.1.2.1). The second offer
  /// sets no condition for the server.
  static func offers(for compression: WebSocketCompression) -> [DeflateParameters] {
    var modest = DeflateParameters()
    modest.serverNoContextTakeover = !compression.keepsContext
    modest.clientNoContextTakeover = !compression.keepsContext
    modest.serverMaxWindowBits = compression.windowBits
    modest.clientMaxWindowBits = compression.windowBits
    var plain = DeflateParameters()
    plain.clientMaxWindowBits = compression.windowBits
    return [modest, plain]
  }

  /// The server's answer to this offer.
  ///
  /// The server accepts any offer. It also agrees to a window of 8 bits, with which zlib cannot
  /// compress: messages may be sent uncompressed (6), and the server does so.
  func answer(for compression: WebSocketCompression) -> DeflateParameters {
    var answer = self
    if !compression.keepsContext {
      answer.serverNoContextTakeover = true
      answer.clientNoContextTakeover = true
    }
    // 7.1.2: the same size or a smaller one. A client that offered no limit gets none.
    answer.serverMaxWindowBits = serverMaxWindowBits.map { min($0, compression.windowBits) }
    answer.clientMaxWindowBits = clientMaxWindowBits.map { min($0, compression.windowBits) }
    return answer
  }

  /// The first well-formed offer among these; nil without one (5).
  static func firstOffer(in extensions: [WebSocketExtension]) -> DeflateParameters? {
    extensions.lazy
      .filter { $0.name == name }
      .compactMap { DeflateParameters($0.parameters, in: .offer) }
      .first
  }

  /// The compression of the server or of the client according to this answer.
  ///
  /// The server may ask for more than was offered, and the client complies. If the answer asks for
  /// less, it is an answer to the second offer.
  func deflate(for compression: WebSocketCompression, isServer: Bool) -> MessageDeflate {
    let client = MessageDeflate.Window(
      bits: clientMaxWindowBits ?? 15, isKept: !clientNoContextTakeover)
    let server = MessageDeflate.Window(
      bits: serverMaxWindowBits ?? 15, isKept: !serverNoContextTakeover)
    var sending = isServer ? server : client
    sending.bits = min(sending.bits, compression.windowBits)
    // A server has said so in its answer; a client may forget more than the answer asks for.
    sending.isKept = sending.isKept && compression.keepsContext
    return MessageDeflate(
      threshold: compression.threshold, sending: sending, receiving: isServer ? client : server)
  }
}
