import Foundation
import TestSupport
import Testing

@testable import Sockets

/// Random and mutated bytes of an attacker: there is no trap, and events keep their
/// grammar.
@Suite(.workerPool) struct HostileInputTests {
  /// Checks the invariants for any input.
  ///
  /// Returns the number of events.
  private func check(_ parts: [[UInt8]], _ side: Side, wantsFrames: Bool) -> Int {
    var session = side.session(messageLimit: 1000)
    var ends = 0
    var count = 0
    for part in parts {
      for event in session.events(in: part, wantsFrames: wantsFrames) {
        count += 1
        #expect(ends == 0, "\(event) came after the end")
        switch event {
        case .message(let message): #expect(message.data.count <= 1000)
        case .pong(let payload): #expect(payload.count <= 125)
        case .peerClosed, .failed: ends += 1
        case .frame(let frame):
          #expect(frame.payload.count <= (frame.opcode.isControl ? 125 : 1000))
        case .lost, .unsendable: Issue.record("\(event)")
        }
      }
      #expect((ends == 1) == session.isOver)
    }
    // Memory is bounded: besides one close frame, only pongs with the pings' payloads are sent.
    #expect(session.codec.output.count <= parts.reduce(0) { $0 + $1.count } * 3 + 140)
    session.inputEnded()
    #expect(session.outcome != nil)
    #expect(session.events() == (ends == 1 ? [] : [.lost]))
    return count
  }

  @Test(arguments: Side.allCases)
  func `random bytes never trap, and keep the order of events`(side: Side) {
    var generator = SeededGenerator(seed: 6455)
    for round in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      _ = check([Array(bytes[..<cut]), Array(bytes[cut...])], side, wantsFrames: round % 2 == 0)
    }
  }

  @Test(arguments: Side.allCases)
  func `valid frames with flipped bits never trap in reads of any size`(side: Side) {
    var generator = SeededGenerator(seed: 5)
    let first: [UInt8] = [0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x89, 0x8A, 0x88]
    var events = 0
    for round in 0..<10_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let length = Bool.random(using: &generator) ? Int.random(in: 0...130, using: &generator) : 4
        let opening = first.randomElement(using: &generator) ?? 0x81
        bytes += side.incoming(opening, [UInt8](repeating: 0x61, count: length))
      }
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: bytes.indices, using: &generator)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      var parts: [[UInt8]] = []
      while !bytes.isEmpty {
        let count = min(bytes.count, Int.random(in: 1...60, using: &generator))
        parts.append(Array(bytes.prefix(count)))
        bytes.removeFirst(count)
      }
      events += check(parts, side, wantsFrames: round % 2 == 0)
    }
    // Most rounds get past the first frame; otherwise this test would cover little.
    #expect(events > 10_000)
  }

  @Test(arguments: Side.allCases)
  func `a header that announces a large payload allocates little memory`(side: Side) {
    // A thousand sessions are announced 1 GiB each; allocating it would exhaust the memory.
    let header: [UInt8] = [0x82, side.getsMasked ? 0xFF : 0x7F, 0, 0, 0, 0, 0x40, 0, 0, 0]
    let key: [UInt8] = side.getsMasked ? Wire.key : []
    var sessions: [SessionBox] = []
    for _ in 0..<1000 {
      var session = side.session(messageLimit: .max)
      #expect(session.events(in: header + key + [1]) == [])
      sessions.append(SessionBox(session))
    }
    #expect(sessions.allSatisfy { $0.session.state == .connected })
  }
}
