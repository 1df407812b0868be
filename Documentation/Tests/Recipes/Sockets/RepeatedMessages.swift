// Messages that arrive twice
//
// Problem: After a reconnection the server sends its last messages again, and each should be
// handled once.
//
// Words: deduplicate, duplicate messages, distinct, idempotent, at least once
//
// Why: `distinctUntilChanged` compares neighbours only. `scan` remembers the last ids, a bounded
// number of them, and `compactMap` drops the repetitions.
//
// Ends: With the messages. It fails with them. The limit bounds the memory: a message that is
// repeated after more than `limit` others passes again.
//
// See: scan, compactMap, distinctUntilChanged, Sockets/Reconnecting

import Reactive
import ReactiveTesting
import Testing

extension ObservableType where Element: Identifiable & Sendable, Element.ID: Sendable {
  /// The elements whose ids are not among those of the last `limit` elements that have passed.
  func withoutRepetitions(limit: Int = 1_000) -> Observable<Element> {
    scan((ids: [Element.ID](), new: Element?.none)) { seen, element in
      if seen.ids.contains(element.id) { return (seen.ids, nil) }
      return (seen.ids.suffix(limit - 1) + [element.id], element)
    }
    .compactMap(\.new)
  }
}

@Test func `a message passes once, until it is forgotten`() {
  #expect(
    play("-a-b-ab-c-d-a|") { messages, _ in
      messages.map(Letter.init).withoutRepetitions(limit: 3).map(\.id)
    } == "-a-b----c-d-a|")
}

struct Letter: Identifiable, Sendable { var id: Character }
