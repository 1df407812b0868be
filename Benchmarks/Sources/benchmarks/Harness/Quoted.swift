/// What RxSwift cost for the same work, with what ran beside it then.
///
/// RxSwift 6.9, measured on Swift 6.3.1 (Linux, release, 2 cores) in November 2026, quoted: no run of
/// these benchmarks builds it. A machine's speed is taken out by what ran beside it and runs again
/// now: OpenCombine where it has the operator, else the loop, else nothing.
struct Quoted {
  /// Nanoseconds of CPU, or bytes where the workload is about memory.
  let rxSwift: Double
  let openCombine: Double?
  let loop: Double?

  static let source = "RxSwift 6.9, measured on Swift 6.3.1, Nov 2026, quoted"

  /// What to divide the time of now by.
  enum Scale {
    case by(Contender.Name, was: Double)
    case none
  }

  var scale: Scale {
    if let openCombine { return .by(.peer, was: openCombine) }
    if let loop { return .by(.loop, was: loop) }
    return .none
  }

  private init(_ rxSwift: Double, openCombine: Double? = nil, loop: Double? = nil) {
    self.rxSwift = rxSwift
    self.openCombine = openCombine
    self.loop = loop
  }

  /// For one delivery of each workload, or one operation.
  static let figures: [String: Quoted] = [
    "reactive/subject": Quoted(343, openCombine: 159, loop: 2.5),
    "reactive/subjectGeneric": Quoted(343, openCombine: 159, loop: 2.5),
    "reactive/relay": Quoted(343, openCombine: 159, loop: 2.5),
    "reactive/map3": Quoted(654, openCombine: 209, loop: 5.1),
    "reactive/map3Generic": Quoted(654, openCombine: 209, loop: 5.1),
    "reactive/stages20": Quoted(2398, openCombine: 606, loop: 28),
    "reactive/stages20Generic": Quoted(2398, openCombine: 606, loop: 28),
    "reactive/scanDistinct": Quoted(553, openCombine: 638, loop: 3.8),
    "reactive/range": Quoted(2335, openCombine: 285, loop: 2.6),
    "reactive/fromArray": Quoted(2491, openCombine: 187, loop: 2.3),
    "reactive/merge4": Quoted(517, loop: 18),
    "reactive/combineLatest2": Quoted(757, loop: 4.1),
    "reactive/combineLatest8": Quoted(1012, loop: 5.8),
    "reactive/zip2": Quoted(909, openCombine: 713, loop: 5.7),
    "reactive/withLatestFrom": Quoted(618, loop: 3.1),
    "reactive/flatMapJust": Quoted(1415, openCombine: 875, loop: 28),
    "reactive/flatMapLive": Quoted(1415, openCombine: 875, loop: 28),
    "reactive/flatMapLatest3": Quoted(16_111, openCombine: 2243, loop: 30),
    "reactive/concatMap3": Quoted(15_929, openCombine: 2477, loop: 30),
    "reactive/subject10": Quoted(114.5, openCombine: 165, loop: 3.6),
    "reactive/share10": Quoted(155, openCombine: 336, loop: 3.1),
    "reactive/share1000": Quoted(111, openCombine: 310, loop: 3.1),
    "reactive/relay1000": Quoted(106, openCombine: 152, loop: 3.1),
    "reactive/subscribe3": Quoted(4479, openCombine: 2223, loop: 255),
    "reactive/churn10": Quoted(1527, openCombine: 2077),
    "reactive/churn1k": Quoted(1647, openCombine: 2026),
    "reactive/bag10": Quoted(355),
    "reactive/bag": Quoted(476),
    "reactive/bag100k": Quoted(833),
    "reactive/observeOn": Quoted(5066, openCombine: 2720),
    "reactive/hop": Quoted(4259, openCombine: 3289),
    "reactive/intervals": Quoted(6600),
    // 74 % of a core, where each ticks once a second.
    "reactive/ticks": Quoted(7400),
    "reactive/twoThreads": Quoted(1046, openCombine: 363),
    "reactive/mergeTwoThreads": Quoted(1162),
  ]

  /// All workloads of which something is quoted.
  static var names: [String] { [] + figures.keys + bytes.keys }

  /// Bytes, which need no scale.
  static let bytes: [String: Double] = [
    "reactive/live": 743,
    "reactive/live3": 2081,
    "reactive/intervals": 2000,
  ]
}
