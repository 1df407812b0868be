import Foundation
import Reactive
import ReactiveTesting

/// Runs `body`, then the scheduled work, with a test scheduler as the main queue.
@MainActor
func onTestClock(_ body: (TestScheduler) throws -> Void) rethrows {
  let scheduler = TestScheduler(initialClock: 0)
  try SharingScheduler.mock(scheduler: scheduler) {
    try body(scheduler)
    scheduler.start()
  }
}

extension TestableObserver {
  /// The received elements.
  var elements: [Element] { events.compactMap(\.value.element) }
}

enum AppError: Error, Equatable { case offline, unauthorized }
