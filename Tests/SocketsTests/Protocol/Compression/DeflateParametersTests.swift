import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct DeflateParametersTests {
  /// The parameters of this element; nil if they are invalid.
  private func parse(_ text: String, in place: DeflateParameters.Place) -> DeflateParameters? {
    let list = WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": text])
    return list?.first.flatMap { DeflateParameters($0.parameters, in: place) }
  }

  @Test(arguments: [DeflateParameters.Place.offer, .answer])
  func `7.1: all compression parameters are read in any order, and written again`(
    place: DeflateParameters.Place
  ) {
    let text = """
      permessage-deflate; server_no_context_takeover; client_no_context_takeover; \
      server_max_window_bits=8; client_max_window_bits=15
      """
    let all = parse(text, in: place)
    #expect(all?.serverNoContextTakeover == true)
    #expect(all?.clientNoContextTakeover == true)
    #expect(all?.serverMaxWindowBits == 8)
    #expect(all?.clientMaxWindowBits == 15)
    #expect(all?.element.description == text)
    let parts = text.split(separator: "; ").dropFirst()
    #expect(
      parse("permessage-deflate; " + parts.reversed().joined(separator: "; "), in: place) == all)
    #expect(parse("permessage-deflate", in: place) == DeflateParameters())
  }

  @Test func `7.1.2.2: only an offer can leave the size of the client's window open`() {
    #expect(
      parse("permessage-deflate; client_max_window_bits", in: .offer)?.clientMaxWindowBits == 15)
    #expect(parse("permessage-deflate; client_max_window_bits", in: .answer) == nil)
  }

  @Test(arguments: [
    "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16",
    "server_max_window_bits=08", "server_max_window_bits=+9", "server_max_window_bits=9a",
    "client_max_window_bits=7", "client_max_window_bits=16", "client_max_window_bits=010",
    "server_no_context_takeover=1", "client_no_context_takeover=true",
    "server_no_context_takeover; server_no_context_takeover",
    "client_max_window_bits=9; client_max_window_bits=9",
    "client_max_window_bits; client_max_window_bits=9", "unknown", "Server_no_context_takeover",
  ])
  func `5.1, 7.1: an unknown, repeated or wrong compression parameter is refused`(
    parameters: String
  ) {
    #expect(parse("permessage-deflate; " + parameters, in: .offer) == nil)
    #expect(parse("permessage-deflate; " + parameters, in: .answer) == nil)
  }

  @Test func `5.1: the first valid offer is accepted, and others are skipped`() throws {
    let list = try #require(
      WebSocketExtension.list(in: [
        "Sec-WebSocket-Extensions": """
        mux, permessage-deflate; server_max_window_bits=20, permessage-deflate; unknown, \
        permessage-deflate; server_max_window_bits=10, permessage-deflate
        """
      ])
    )
    #expect(DeflateParameters.firstOffer(in: list)?.serverMaxWindowBits == 10)
    #expect(DeflateParameters.firstOffer(in: Array(list.prefix(3))) == nil)
  }

  @Test func `a client offers its own parameters first, then those that every server accepts`() {
    func offers(_ compression: WebSocketCompression) -> [String] {
      DeflateParameters.offers(for: compression).map(\.element.description)
    }
    #expect(
      offers(.deflate()) == [
        "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12",
        "permessage-deflate; client_max_window_bits=12",
      ]
    )
    #expect(
      offers(.deflate(windowBits: 9, keepsContext: false)) == [
        """
        permessage-deflate; server_no_context_takeover; client_no_context_takeover; \
        server_max_window_bits=9; client_max_window_bits=9
        """,
        "permessage-deflate; client_max_window_bits=9",
      ]
    )
  }

  @Test func `window bits that zlib does not support become the nearest supported value`() {
    #expect(WebSocketCompression.deflate(windowBits: 8).windowBits == 9)
    #expect(WebSocketCompression.deflate(windowBits: .max).windowBits == 15)
    var compression = WebSocketCompression.deflate()
    compression.windowBits = -1
    #expect(compression.windowBits == 9)
  }

  // MARK: All combinations

  /// All possible offers.
  static let offers: [DeflateParameters] = combinations(of: [nil, 8, 9, 12, 15])
  static let compressions: [WebSocketCompression] = [9, 12, 15].flatMap { bits in
    [true, false].map { .deflate(threshold: 0, windowBits: bits, keepsContext: $0) }
  }

  private static func combinations(of bits: [Int?]) -> [DeflateParameters] {
    [false, true].flatMap { serverNo in
      [false, true].flatMap { clientNo in
        bits.flatMap { serverBits in
          bits.map { clientBits in
            var parameters = DeflateParameters()
            parameters.serverNoContextTakeover = serverNo
            parameters.clientNoContextTakeover = clientNo
            parameters.serverMaxWindowBits = serverBits
            parameters.clientMaxWindowBits = clientBits
            return parameters
          }
        }
      }
    }
  }

  @Test func `7.1: the answer of a server satisfies the offer`() {
    for offer in Self.offers {
      for compression in Self.compressions {
        let answer = offer.answer(for: compression)
        // 7.1.1.1: the server accepts the client's request.
        #expect(answer.serverNoContextTakeover || !offer.serverNoContextTakeover)
        // 7.1.2.1: the same size or a smaller one.
        #expect((answer.serverMaxWindowBits == nil) == (offer.serverMaxWindowBits == nil))
        #expect(answer.serverMaxWindowBits ?? 0 <= offer.serverMaxWindowBits ?? 0)
        // 7.1.2.2: present only if it was offered.
        #expect((answer.clientMaxWindowBits == nil) == (offer.clientMaxWindowBits == nil))
        #expect(parse(answer.element.description, in: .answer) == answer)
      }
    }
  }

  @Test func `the compression parameters of both sides agree`() {
    func fits(_ sending: MessageDeflate.Window, into receiving: MessageDeflate.Window) -> Bool {
      sending.bits <= receiving.bits && (receiving.isKept || !sending.isKept)
    }
    for offer in Self.offers {
      for (mine, theirs) in zip(Self.compressions, Self.compressions.reversed()) {
        let answer = offer.answer(for: theirs)
        let client = answer.deflate(for: mine, isServer: false)
        let server = answer.deflate(for: theirs, isServer: true)
        #expect(fits(client.sending, into: server.receiving), "\(answer.element)")
        #expect(fits(server.sending, into: client.receiving), "\(answer.element)")
        #expect(server.sending.bits <= theirs.windowBits && client.sending.bits <= mine.windowBits)
      }
    }
  }
}
