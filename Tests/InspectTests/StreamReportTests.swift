import Foundation
import TestSupport
import Testing

@testable import inspect

@Suite("The subscriptions of inspect", .workerPool)
struct InspectStreamReportTests {
  private static let json = """
    {"isTraced": true, "moreStreams": 0, "streams": [
      {"stream": 7, "operator": "subscribe", "file": "/Sources/Search.swift", "line": 44, "age": 12.1, "count": 3,
       "lastAge": 0.2, "last": "[Row(id: 7)]"},
      {"stream": 8, "parent": 7, "operator": "map", "file": "/Sources/Search.swift", "line": 43, "age": 12.1,
       "count": 3, "lastAge": 0.2, "last": "[Row(id: 7)]"},
      {"stream": 9, "parent": 8, "age": 12.1, "count": 1},
      {"stream": 10, "operator": "subscribe", "file": "/Sources/Login.swift", "line": 3, "age": 1, "count": 0}]}
    """

  private func streams() throws -> [StreamInfo] {
    let value = try JSONValue(json: Self.json)
    let list = try JSONDecoder.ofProtocol.decode(
      StreamList.self, from: JSONEncoder.ofProtocol.encode(value))
    #expect(list.isTraced)
    return list.streams
  }

  @Test func `subscriptions are trees from the subscription to the source`() throws {
    #expect(
      StreamReport.lines(try streams()) == [
        "7 subscribe Search.swift:44, for 12.100 s, 3 elements, the last 0.200 s ago: [Row(id: 7)]",
        "  8 map Search.swift:43, for 12.100 s, 3 elements, the last 0.200 s ago: [Row(id: 7)]",
        "    9 source, for 12.100 s, 1 element",
        "10 subscribe Login.swift:3, for 1.000 s, 0 elements",
      ])
  }

  @Test func `a text in any stage chooses the whole subscription`() throws {
    func numbers(_ text: String?, last: Int = 20) throws -> [Int] {
      StreamReport.streams(try streams(), withText: text, last: last).map(\.stream)
    }
    #expect(try numbers("MAP") == [7, 8, 9])
    #expect(try numbers("login") == [10])
    #expect(try numbers("row(id: 7)") == [7, 8, 9])
    #expect(try numbers("nothing").isEmpty)
    #expect(try numbers(nil) == [7, 8, 9, 10])
    #expect(try numbers(nil, last: 1) == [10])
  }

  @Test func `a stream whose subscription is not listed is a tree of its own`() throws {
    let upstream = Array(try streams().dropFirst())
    #expect(StreamReport.lines(upstream).map { $0.prefix(4) } == ["8 ma", "  9 ", "10 s"])
    #expect(
      StreamReport.streams(upstream, withText: nil, last: 1).map(\.stream) == [10])
  }
}
