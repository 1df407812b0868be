extension Quoted {
  /// By workload.
  static let figures = reactive.merging(compose) { $1 }.merging(sockets) { $1 }

  /// The peak bytes of RxSwift 6.9, which need no scale.
  static let bytes: [String: Double] = [
    "reactive/live": 743,
    "reactive/live3": 2081,
    "reactive/intervals": 2000,
  ]

  /// RxSwift 6.9 and ReactiveSwift, CPU.
  private static let reactive: [String: Quoted] = [
    "reactive/subject": rx(343, 278, openCombine: 159, loop: 2.5),
    "reactive/subjectGeneric": rx(343, openCombine: 159, loop: 2.5),
    "reactive/relay": rx(343, openCombine: 159, loop: 2.5),
    "reactive/map3": rx(654, 1168, openCombine: 209, loop: 5.1),
    "reactive/map3Generic": rx(654, openCombine: 209, loop: 5.1),
    "reactive/stages20": rx(2398, 6949, openCombine: 606, loop: 28),
    "reactive/stages20Generic": rx(2398, openCombine: 606, loop: 28),
    "reactive/scanDistinct": rx(553, 805, openCombine: 638, loop: 3.8),
    "reactive/range": rx(2335, openCombine: 285, loop: 2.6),
    "reactive/fromArray": rx(2491, 131, openCombine: 187, loop: 2.3),
    "reactive/merge4": rx(517, 747, loop: 18),
    "reactive/combineLatest2": rx(757, 860, loop: 4.1),
    "reactive/combineLatest8": rx(1012, 984, loop: 5.8),
    "reactive/zip2": rx(909, 668, openCombine: 713, loop: 5.7),
    "reactive/withLatestFrom": rx(618, 659, loop: 3.1),
    "reactive/flatMapJust": rx(1415, 7571, openCombine: 875, loop: 28),
    "reactive/flatMapLive": rx(1415, 7571, openCombine: 875, loop: 28),
    "reactive/flatMapLatest3": rx(16_111, 6536, openCombine: 2243, loop: 30),
    "reactive/concatMap3": rx(15_929, 8739, openCombine: 2477, loop: 30),
    "reactive/subject10": rx(114.5, 69.7, openCombine: 165, loop: 3.6),
    "reactive/share10": rx(155, 391, openCombine: 336, loop: 3.1),
    "reactive/share1000": rx(111, 283, openCombine: 310, loop: 3.1),
    "reactive/relay1000": rx(106, 332, openCombine: 152, loop: 3.1),
    "reactive/subscribe3": rx(4479, 14_036, openCombine: 2223, loop: 255),
    "reactive/churn10": rx(1527, 1244, openCombine: 2077),
    "reactive/churn1k": rx(1647, 35_000, openCombine: 2026),
    "reactive/bag10": rx(355, 752),
    "reactive/bag": rx(476, 870),
    "reactive/bag100k": rx(833, 87_000),
    "reactive/observeOn": rx(5066, 5934, openCombine: 2720),
    "reactive/hop": rx(4259, 3927, openCombine: 3289),
    "reactive/intervals": rx(6600),
    // 74 % of a core, where each ticks once a second.
    "reactive/ticks": rx(7400),
    "reactive/twoThreads": rx(1046, 859, openCombine: 363),
    "reactive/mergeTwoThreads": rx(1162, 2188),
  ]

  /// CPU for one action, in a burst; RxCompose runs on RxSwift 6.9.
  private static let compose: [String: Quoted] = [
    "compose/accept": Quoted(
      costs: [
        .rxCompose: 16_800, .reactorKit: 9830, .rxFeedback: 6780, .reSwift: 1230,
        .reactiveFeedback: 3290, .mobius: 1210, .tca: 2390,
      ], beside: [:]),
    "compose/acceptObserved": Quoted(
      costs: [.rxCompose: 18_310, .reactorKit: 5710, .reSwift: 1910, .tca: 4390], beside: [:]),
    "compose/send": Quoted(
      costs: [
        .rxCompose: 16_420, .reactorKit: 10_470, .rxFeedback: 18_740, .reSwift: 2050,
        .reactiveFeedback: 12_310, .tca: 5750,
      ], beside: [:]),
    "compose/run": Quoted(costs: [.tca: 53_410], beside: [:]),
  ]

  /// The same stack at both ends, but for FlyingFox, which has no client (SwiftNIO's was used): p50,
  /// or wall-clock time for one message.
  private static let sockets: [String: Quoted] = [
    "sockets/echo": Quoted(
      costs: [
        .nio: 22_300, .flyingFox: 65_000, .gorilla: 11_300, .ws: 26_400, .websockets: 93_000,
      ], beside: [.raw: 13_100]),
    "sockets/pipelined": Quoted(
      costs: [.nio: 3425, .flyingFox: 23_800, .gorilla: 3745, .ws: 7519, .websockets: 13_900],
      beside: [:]),
    "sockets/bulk": Quoted(
      costs: [
        .nio: 178_600, .flyingFox: 230_000, .gorilla: 193_900, .ws: 228_300, .websockets: 57_100,
      ], beside: [.raw: 17_420]),
  ]

  private static func rx(
    _ rxSwift: Double,
    _ reactiveSwift: Double? = nil,
    openCombine: Double? = nil,
    loop: Double? = nil
  ) -> Quoted {
    var costs = [Library.rxSwift: rxSwift]
    costs[.reactiveSwift] = reactiveSwift
    var beside: [Contender.Name: Double] = [:]
    beside[.peer] = openCombine
    beside[.loop] = loop
    return Quoted(costs: costs, beside: beside)
  }
}
