import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Timeline as JSON lines", .workerPool) struct TimelineJSONLinesTests {
  @Test func `jsonLines has one line for each entry, and decoding restores the timeline`() throws {
    let timeline = Room.timeline(.start, .both, .fail, .join("a"), seconds: 3, limit: 12)
    let text = try timeline.jsonLines()
    #expect(text.split(separator: "\n").count == 13)
    let imported = try Room.Recorded(jsonLines: text)
    #expect(imported.difference(from: timeline) == nil)
    #expect(imported.dropped == timeline.dropped)
    #expect(imported.description == timeline.description)
    #expect(try imported.jsonLines() == text)
  }

  @Test func `jsonLines sorts the keys`() throws {
    #expect(
      try Room.timeline(.load).jsonLines() == """
        {"dropped":0}
        {"kind":{"step":{"_0":{"actions":[{"load":{}}],"number":1,"source":{"outside":{}},\
        "state":{"alert":null,"count":0,"notes":[]}}}},"time":0}
        {"kind":{"started":{"_1":{"step":{"_0":1}},"effect":1}},"time":0}
        {"kind":{"ended":{"_1":{"completed":{}},"effect":1}},"time":0}
        {"kind":{"step":{"_0":{"actions":[{"tick":{}}],"number":2,"source":{"effect":{"_0":1}},\
        "state":{"alert":null,"count":1,"notes":[]}}}},"time":0}

        """)
  }

  @Test func `decoding accepts a part of the lines, empty lines and other line ends`() throws {
    let timeline = Room.timeline(.start, .both, seconds: 3)
    let lines = try timeline.jsonLines().split(separator: "\n")
    let tail = "\n" + lines.suffix(3).joined(separator: "\r\n\r\n")
    let imported = try Room.Recorded(jsonLines: tail)
    #expect(imported.entries.map(\.description) == timeline.entries.suffix(3).map(\.description))
    #expect(try Room.Recorded(jsonLines: "").entries.isEmpty)
  }

  @Test func `jsonLines preserves line separators inside texts`() throws {
    let timeline = Room.timeline(.note("a\u{2028}b\r\nc"))
    #expect(try Room.Recorded(jsonLines: timeline.jsonLines()).difference(from: timeline) == nil)
  }

  @Test func `a timeline with times of any size is described, compared and replayed`() throws {
    let times = ["0", "1e300", "-1e300", "-9223372036854775.808", "9.3e15", "1.7e308", "0.0004"]
    let lines = times.map {
      #"{"kind":{"ended":{"_1":{"completed":{}},"effect":9223372036854775807}},"time":\#($0)}"#
    }
    let timeline = try Room.Recorded(jsonLines: lines.joined(separator: "\n"))
    let starts = timeline.description.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(starts.count == times.count)
    #expect(starts.first == "0.000" && starts.last == "0.000")
    #expect(starts[1] == "1e+300" && starts[3] == "-9223372036854775.808")
    #expect(timeline.difference(from: timeline) == nil)
    #expect(timeline.replay(into: Room()).description == timeline.description)
    #expect(timeline.causes(of: .max).isEmpty && timeline.causes(of: .min).isEmpty)
  }

  @Test(arguments: ["{", "[]", "{\"time\":0}", "{\"dropped\":1}", "null", "\u{0}x"])
  func `a decoding error has the number of the line that is not an entry`(line: String) throws {
    let good = try Room.timeline(.load).jsonLines()
    let error = #expect(throws: TimelineDecodingError.self) {
      try Room.Recorded(jsonLines: good + line + "\n" + good)
    }
    #expect(error?.number == 6)
    #expect(error?.reason.isEmpty == false)
  }
}
