import Foundation
import TestSupport
import Testing

@testable import Compose
@testable import Inspector

@Suite("EventInbox", .workerPool)
struct EventInboxTests {
  private static let event = ProgramEvent.effect(
    .ended(1, EffectEnd(outcome: .completed), .none))

  @Test func `the events of threads are moved in the background from a usual number on, once`() {
    let inbox = EventInbox(byteLimit: .max)
    let source = EventSource(number: 1, name: "")
    let demands = (1...3_000).map { number in
      let (appended, demand) = inbox.append(
        Self.event, of: source, at: .now, delivered: nil, bytes: 1, details: nil,
        keepsSource: false)
      #expect(appended == number)
      return demand
    }
    #expect(demands.firstIndex(of: .inBackground) == EventInbox.usualCount - 1)
    #expect(demands.count { $0 == .inBackground } == 1)
    #expect(!demands.contains(.atOnce))
    var batch = EventInbox.Batch()
    inbox.take(&batch)
    #expect(batch.events.count == 3_000)
  }

  @Test func `the thread that appends moves the events when they have many bytes`() {
    let inbox = EventInbox(byteLimit: 1_000)
    let source = EventSource(number: 1, name: "")
    let demands = (1...11).map { _ in
      inbox.append(
        Self.event, of: source, at: .now, delivered: nil, bytes: 100, details: nil,
        keepsSource: false
      )
      .demand
    }
    #expect(
      demands == [.none, .none, .inBackground] + Array(repeating: .none, count: 7) + [.atOnce])
  }

  @Test func `a source that the log lists no more lives until its events are taken`() {
    let inbox = EventInbox(byteLimit: .max)
    var batch = EventInbox.Batch()
    weak let unlisted: EventSource?
    weak let neverListed: EventSource?
    do {
      let (first, second) = (EventSource(number: 1, name: ""), EventSource(number: 2, name: ""))
      (unlisted, neverListed) = (first, second)
      for source in [first, second] {
        _ = inbox.append(
          Self.event, of: source, at: .now, delivered: nil, bytes: 1, details: nil,
          keepsSource: source === second)
      }
      inbox.unlist(first)
    }
    #expect(unlisted != nil && neverListed != nil)
    inbox.take(&batch)
    #expect(batch.events.map { $0?.source.number } == [1, 2])
    batch.removeAll()
    #expect(unlisted == nil && neverListed == nil)
  }

  @Test func `nothing is appended after the end`() {
    let inbox = EventInbox(byteLimit: .max)
    inbox.close()
    let (number, demand) = inbox.append(
      Self.event, of: EventSource(number: 1, name: ""), at: .now, delivered: nil, bytes: 1,
      details: nil,
      keepsSource: false)
    #expect(number == 0 && demand == .none)
    var batch = EventInbox.Batch()
    inbox.take(&batch)
    #expect(batch.isEmpty)
  }

  @Test func `events that nobody reads are moved into the log in the background`() async {
    let log = EventLog(byteLimit: .max)
    let source = log.add { NotingSource(number: $0, name: "") }
    for _ in 0..<EventInbox.usualCount {
      log.append(Self.event, of: source, at: .now, bytes: 1, keepsSource: false)
    }
    await source.noted.wait { $0 == EventInbox.usualCount }
  }

  private final class NotingSource: EventSource, @unchecked Sendable {
    // A constant of its own type, which has a lock.
    let noted = Watched(0)

    override func note(
      _ event: LoggedEvent, _ number: Int, _ details: SocketDetails?, endedEffectLimit: Int
    ) {
      noted.update { $0 += 1 }
    }
  }
}
