/// The requests about virtual clocks.
extension Requests {
  struct Clocks: InspectorRequest {
    typealias Reply = ClockList
    static let method = "clocks"
  }

  struct PauseClock: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "pauseClock"
    let clock: Int
  }

  struct ResumeClock: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "resumeClock"
    let clock: Int
  }

  struct StepClock: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "stepClock"
    let clock: Int
    /// Seconds; nil for the next moment with due work.
    var by: Double?
  }
}
