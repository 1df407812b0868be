import Foundation
import Inspector
import TestSupport
import Testing

@testable import Inspector

@Suite("Limits of requests to the inspector", .workerPool)
struct RequestLimitTests {
  private struct Failed: Decodable, Equatable {
    let id: AnyJSON
    let error: InspectorClient.Failure
  }

  private static let deep =
    String(repeating: "[", count: 80) + String(repeating: "]", count: 80)
  private static let long = "\"" + String(repeating: "x", count: 1 << 20) + "\""

  @Test(
    arguments: [
      (
        #"{"jsonrpc":"2.0","id":7,"method":"send","params":{"id":3,"action":\#(deep)}}"#, 7, -32700,
        "The message has more than 64 levels."
      ),
      (
        #"{"jsonrpc":"2.0","method":"send","params":{"action":\#(deep)},"id":"a"}"#, "a", -32700,
        "The message has more than 64 levels."
      ),
      (
        #"{"jsonrpc":"2.0","id":8,"method":"send","params":{"action":\#(long)}}"#, 8, -32600,
        "The request has more than 1048576 bytes."
      ),
    ] as [(String, AnyJSON, Int, String)])
  func `a request that is too long or too deep is answered with its id`(
    _ text: String, _ id: AnyJSON, _ code: Int, _ message: String
  ) async throws {
    var configuration = InspectorConfiguration()
    configuration.observesAll = false
    let inspector = try Inspector(configuration)
    let client = try await InspectorClient.greeted(inspector.url)
    let failures = Watched<[Failed]>([])
    let subscription = client.socket.messages.subscribe(onNext: { message in
      if let failed: Failed = try? message.decode() { failures.update { $0.append(failed) } }
    })
    try client.socket.send(text)
    let expected = InspectorClient.Failure(code: code, message: message)
    await failures.wait { $0 == [Failed(id: id, error: expected)] }
    subscription.dispose()
    // The connection goes on.
    #expect(try await client("composers") == ["composers": []])
  }

  @Test(arguments: [512, 513, 514])
  func `deep JSON of another encoding is refused`(depth: Int) async throws {
    var configuration = InspectorConfiguration()
    configuration.observesAll = false
    let inspector = try Inspector(configuration)
    let client = try await InspectorClient.greeted(inspector.url)
    try client.socket.send(String(repeating: "[\0", count: depth))
    try client.socket.send(String(repeating: "\0[", count: depth))
    #expect(try await client("composers") == ["composers": []])
  }

  @Test func `events, paths and composers of requests have limits`() async throws {
    let inspector = try Inspector.ofAdded()
    let sample = Composed(sending: Sample())
    inspector.add(sample, fork: { Sample() })
    let client = try await InspectorClient.greeted(inspector.url)
    sample.send(.poll)
    for event in [.max, .max - 1, -1, .min] as [Int64] {
      let failure = try await client.failure(
        "fork", ["composer": 1, "event": .integer(event)])
      #expect(failure?.code == -32003)
    }
    let names = AnyJSON.array(Array(repeating: "itself", count: 1_001))
    for method in ["state", "json"] {
      let failure = try await client.failure(method, ["composer": 1, "path": names])
      #expect(failure?.message == "A path has at most 1000 names, not 1001.")
    }
    let many = AnyJSON.array(Array(repeating: 1, count: 10_000))
    let effects = try await client("effects", ["composers": many])["effects"]?.elements ?? []
    #expect(effects.count == 1)
    let failure = try await client.failure(
      "export", ["composer": 1, "format": "jsonLines", "from": 2, "to": 1])
    #expect(failure?.message == "The last event, 1, is before the first one, 2.")
  }

  @Test(
    arguments: [
      (#"{"id":1}"#, .number(1)),
      (#" { "a" : [1, {"id": 2}], "id" : -3 , "b": "}" }"#, .number(-3)),
      (#"{"id":"a\"b"}"#, .text("a\"b")), (#"{"id":"{"}"#, .text("{")), (#"{"id":{"id":1}}"#, nil),
      (#"{"id":[1]}"#, nil), (#"{"id":null}"#, nil), (#"{"id":1.5}"#, nil), (#"[{"id":1}]"#, nil),
      (#"{"a":"id","b":1}"#, nil), (#"{"id":1"#, nil), (#"{"id"}"#, nil), ("", nil), ("]]]", nil),
      (#"{"a":{"b":1},"id":4}"#, .number(4)),
    ] as [(String, RPCIdentifier?)])
  func `the id of a request is found without decoding it`(_ text: String, _ id: RPCIdentifier?) {
    #expect(RPCIdentifier(in: text.utf8) == id)
  }
}
