import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SubscriptionTests {
  @Test func `a Subscription without an end has the maximum end time`() {
    #expect(Subscription(200).subscribe == 200)
    #expect(Subscription(200).unsubscribe == .max)
    #expect(Subscription(200) == Subscription(200, .max))
  }

  @Test func `subscriptions are equal when both times are equal`() {
    #expect(Subscription(200, 300) != Subscription(200, 301))
    #expect(Subscription(200, 300) != Subscription(201, 300))
    #expect(Set([Subscription(1, 2), Subscription(1, 2), Subscription(1)]).count == 2)
  }

  @Test func `subscriptions have descriptions`() {
    #expect(Subscription(200, 300).debugDescription == "(200 : 300)")
    #expect(Subscription(200).debugDescription == "(200 : Infinity)")
  }
}
