// Live prices and leaderboards
//
// Problem: Hundreds of prices arrive each second, and the table should show the newest one of each
// item, sorted, but be drawn once a second at most.
//
// Words: ticker, leaderboard, sampled updates, high frequency, stock prices, reduce redraws
//
// Why: `scan(into:)` changes one dictionary in place, so that no price is lost. `sample` looks at
// it once a second; the sorting is behind it, and is done once for each drawing.
//
// Ends: With the prices, at the next second, after the last table. It fails with the prices.
// Disposing of the subscription ends the timer, too.
//
// See: scan(into:), sample, throttle, buffer, Reactive/Filtering

import Reactive
import ReactiveTesting
import Testing

struct Price: Equatable, Sendable { var item: String, cents: Int }

/// The items with the highest prices, once a second when something has changed.
func leaders(
  _ count: Int, of prices: Observable<Price>, on scheduler: any SchedulerType
) -> Observable<[String]> {
  prices
    .scan(into: [String: Int]()) { table, price in table[price.item] = price.cents }
    .sample(Observable<Int>.interval(.seconds(1), scheduler: scheduler))
    .map { table in table.sorted { $0.value > $1.value }.prefix(count).map(\.key) }
}

@Test func `the table is drawn once a second, with the newest prices`() {
  let scheduler = TestScheduler(
    initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
  let prices = scheduler.createHotObservable([
    .next(100, Price(item: "tea", cents: 250)), .next(200, Price(item: "coffee", cents: 320)),
    .next(300, Price(item: "cocoa", cents: 280)), .next(2_500, Price(item: "tea", cents: 400)),
  ])
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 5_000) {
    leaders(2, of: prices.asObservable(), on: scheduler)
  }
  #expect(
    observer.events == [.next(1_000, ["coffee", "cocoa"]), .next(3_000, ["tea", "coffee"])])
}
