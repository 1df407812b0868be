import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("Timeline difference", .workerPool) struct TimelineDifferenceTests {
  @Test func `equal timelines at different times have no difference`() {
    let later = VirtualTime()
    later.advance(by: .milliseconds(123_456_789))
    let timeline = Room.timeline(.start, .join("a"), seconds: 3)
    let moved = Room.timeline(.start, .join("a"), seconds: 3, clock: later)
    #expect(moved.difference(from: timeline) == nil)
    #expect(timeline.entries.first?.time != moved.entries.first?.time)
  }

  @Test func `the difference shows the first entry that differs`() {
    #expect(
      Room.timeline(.note("a"), .note("c")).difference(from: Room.timeline(.note("a"), .note("b")))
        == """
        entry 2: step.actions[0].note: "b" → "c"; step.state.notes[1]: "b" → "c"
        - step 2 by outside: note("b") → State(count: 0, name: nil, notes: ["a", "b"], _alert: nil)
        + step 2 by outside: note("c") → State(count: 0, name: nil, notes: ["a", "c"], _alert: nil)
        """)
    #expect(
      Room.timeline(.fail).difference(from: Room.timeline(.giveUp))?.hasPrefix("entry 1: ") == true)
  }

  @Test func `the difference shows another sender and another outcome of an effect`() throws {
    let text = try Room.timeline(.load).jsonLines()
    func difference(_ old: String, _ new: String) throws -> String? {
      let other = try Room.Recorded(jsonLines: text.replacing(old, with: new))
      return other.difference(from: try Room.Recorded(jsonLines: text))
    }
    #expect(
      try difference("{\"completed\":{}}", "{\"cancelled\":{}}") == """
        entry 3: ended.1: completed → cancelled
        - effect 1 ended: completed
        + effect 1 ended: cancelled
        """)
    #expect(
      try difference("\"effect\":{\"_0\":1}", "\"effect\":{\"_0\":2}")?.hasPrefix(
        "entry 4: step.source.effect: 1 → 2\n") == true)
  }

  @Test func `the difference shows another time`() {
    func timeline(_ milliseconds: Int) -> Room.Recorded {
      let time = VirtualTime()
      let room = time.run { Composed(sending: Room()) }
      let recorder = TimelineRecorder(room.trace)
      room.send(.leave)
      time.advance(by: .milliseconds(milliseconds))
      room.send(.leave)
      return recorder.timeline
    }
    #expect(
      timeline(2).difference(from: timeline(1))?.hasPrefix("entry 2: time: 0.001 → 0.002\n") == true
    )
  }

  @Test func `the difference shows an entry that only one timeline has`() {
    let (short, long) = (Room.timeline(.leave), Room.timeline(.leave, .leave))
    let step = "step 2 by outside: leave → State(count: 0, name: nil, notes: [], _alert: nil)"
    #expect(long.difference(from: short) == "entry 2: only in one\n- nothing\n+ \(step)")
    #expect(short.difference(from: long) == "entry 2: only in one\n- \(step)\n+ nothing")
  }
}
