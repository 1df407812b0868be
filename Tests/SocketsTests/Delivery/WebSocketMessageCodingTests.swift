import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("JSON in messages", .workerPool) struct WebSocketMessageCodingTests {
  private struct Chat: Codable, Equatable {
    var user: String
    var sentAt: Date
  }

  private let chat = Chat(user: "alice", sentAt: Date(timeIntervalSince1970: 60))

  @Test func `F04: the options of the encoder are used`() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let message = try WebSocketMessage.json(chat, encoder: encoder)
    #expect(message == .text(#"{"sent_at":60,"user":"alice"}"#))
  }

  @Test func `F07: text and binary both decode, by type or by context`() throws {
    let text = try WebSocketMessage.json(chat)
    #expect(try text.decode(Chat.self) == chat)
    let decoded: Chat = try WebSocketMessage.binary(text.data).decode()
    #expect(decoded == chat)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let seconds = WebSocketMessage.text(#"{"user":"alice","sentAt":60}"#)
    #expect(try seconds.decode(Chat.self, decoder: decoder) == chat)
  }

  @Test func `F07: a decoding error names the expected type and its place, not the value`() {
    let message = WebSocketMessage.text(#"[{"user":"alice","password":"hunter2"}]"#)
    #expect(
      throws: WebSocketMessageError.notDecodable(
        "Array<Chat>", reason: #"the key "sentAt" is missing at [0]"#)
    ) {
      try message.decode([Chat].self)
    }
    #expect(throws: WebSocketMessageError.notDecodable("Chat", reason: "the message is empty")) {
      try WebSocketMessage.text("").decode(Chat.self)
    }
    do throws(WebSocketMessageError) {
      _ = try WebSocketMessage.text("hunter2").decode(Chat.self)
    } catch {
      #expect(error.description.hasPrefix("expected a Chat: "))
      #expect(!error.description.contains("hunter2"))
    }
  }

  @Test func `F04: a value without JSON throws, and nothing is sent`() async throws {
    let pair = try await MemoryPeer()
    #expect(throws: WebSocketMessageError.self) { try pair.socket.send(json: [Double.infinity]) }
    try pair.socket.send(json: ["a"])
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    #expect(pair.peer.frames[0].payload == Array(#"["a"]"#.utf8))
    pair.close()
  }

  /// Messages of several kinds, distinguished by a field.
  private enum Incoming: Decodable, Equatable {
    case handshake
    case ale(Int)

    private enum Keys: CodingKey { case type, number }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      switch try fields.decode(String.self, forKey: .type) {
      case "handshake": self = .handshake
      case "ale": self = .ale(try fields.decode(Int.self, forKey: .number))
      default:
        throw DecodingError.dataCorruptedError(
          forKey: .type,
          in: fields,
          debugDescription: "an unknown type"
        )
      }
    }
  }

  @Test func `U07: a message selects its type by a field, and an unknown type is reported`() throws
  {
    let texts = [#"{"type":"handshake"}"#, #"{"type":"ale","number":3}"#]
    let incoming = try texts.map { try WebSocketMessage.text($0).decode(Incoming.self) }
    #expect(incoming == [.handshake, .ale(3)])
    #expect(
      throws: WebSocketMessageError.notDecodable("Incoming", reason: "an unknown type at type")
    ) { try WebSocketMessage.text(#"{"type":"wine"}"#).decode(Incoming.self) }
  }

  @Test func `F08: text has data too, binary has no text`() {
    #expect(WebSocketMessage.text("é").data == Data([0xC3, 0xA9]))
    #expect(WebSocketMessage.binary(Data([1])).text == nil)
    #expect(WebSocketMessage.text("é").byteCount == 2)
  }
}
