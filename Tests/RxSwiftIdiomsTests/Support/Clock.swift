import Foundation
import Reactive
import ReactiveTesting

/// Runs `body`, and then what it scheduled, while a test's scheduler stands in for the main queue.
@MainActor
func onTestClock(_ body: (TestScheduler) throws -> Void) rethrows {
  let scheduler = TestScheduler(initialClock: 0)
  try SharingScheduler.mock(scheduler: scheduler) {
    try body(scheduler)
    scheduler.start()
  }
}

extension TestableObserver {
  /// The elements it received.
  var elements: [Element] { events.compactMap(\.value.element) }
}

enum AppError: Error, Equatable { case offline, unauthorized }
