import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Estimates the bytes that each recorded event of a composer keeps.
///
/// Successive states share storage: only what a step has changed counts. Reading a state by reflection
/// takes too long to be done for each event, or while the composer waits: some steps are measured, most of
/// them in the background, and the others count like the mean of the last ones measured.
struct EventSizer: ~Copyable, Sendable {
  // Written by one step at a time. A step that is not measured only reads these two.
  private let nextMeasured = Atomic(0)
  private let outOfLine = Atomic(0)
  private let measuredCount = Atomic(0)
  /// The number of the first step.
  private let first = Atomic(0)
  /// The step before one that will be measured.
  private let previous = Locked<RecordedStep?>(nil)
  private let hasStopped = Atomic(false)

  /// The bytes of an event in the log, and of a step that it refers to.
  static let inlineBytes = 200
  /// Measured at once: the first step, whose whole state counts, and the second one.
  private static let countAtOnce = 2

  static let background = DispatchQueue(label: "Inspector.sizes", qos: .utility)

  /// The estimated bytes of a step; called with the steps in their order.
  ///
  /// - Parameter observer: the owner of this sizer.
  func bytes(of step: RecordedStep, in observer: RecordingObserver) -> Int {
    let next = nextMeasured.load(ordering: .relaxed)
    if step.number &+ 1 >= next { prepare(step, next, in: observer) }
    return Self.inlineBytes + outOfLine.load(ordering: .relaxed)
  }

  /// Measures the step, or keeps it for the next one, which is to be measured.
  private func prepare(_ step: RecordedStep, _ next: Int, in observer: RecordingObserver) {
    if step.number >= next {
      let count = measuredCount.load(ordering: .relaxed) &+ 1
      measuredCount.store(count, ordering: .relaxed)
      if count == 1 { first.store(step.number, ordering: .relaxed) }
      let own = step.number &- first.load(ordering: .relaxed) &+ 1
      nextMeasured.store(step.number &+ Self.distance(after: own), ordering: .relaxed)
      let before = previous.replace(with: nil)
      if count <= Self.countAtOnce {
        measure(step, before, isMean: false)
      } else {
        Self.background.async { observer.sizer.measure(step, before, isMean: true) }
      }
    }
    if step.number &+ 1 == nextMeasured.load(ordering: .relaxed),
      !hasStopped.load(ordering: .relaxed)
    {
      _ = previous.replace(with: step)
    }
  }

  /// Measures what a step keeps that the one before it does not.
  ///
  /// - Parameter isMean: whether the steps measured before count too.
  private func measure(_ step: RecordedStep, _ before: RecordedStep?, isMean: Bool) {
    var walk = RetainedBytes()
    let bytes =
      walk.bytesOfAll(of: step.state, sharedWith: before?.state)
      + step.actions.reduce(0) { $0 + walk.bytesOfAll(of: $1, sharedWith: nil) }
      + step.drawn.count * MemoryLayout<DrawnValue>.stride
    let mean = outOfLine.load(ordering: .relaxed)
    outOfLine.store(isMean ? mean + (bytes - mean) / 4 : bytes, ordering: .relaxed)
  }

  /// Releases the step that it keeps.
  func stop() {
    hasStopped.store(true, ordering: .relaxed)
    _ = previous.replace(with: nil)
  }

  /// The steps until the next one to measure: about two at first, and 500 after many.
  ///
  /// The distances are uneven, because the steps of a program often alternate.
  ///
  /// - Parameter step: the number of steps so far.
  private static func distance(after step: Int) -> Int {
    let longest = UInt(clamping: min(step, 1_024))
    let hash = (UInt(bitPattern: step) &* 0x9e37_79b9) >> 8
    return 1 &+ Int(clamping: hash % longest)
  }
}

/// Estimates the bytes outside a value itself that no other value shares.
///
/// Objects do not count: other threads may be writing them, and successive states share them.
struct RetainedBytes {
  /// The number of values that are still visited.
  private var remaining = 2_000
  private var depth = 0

  /// Values that share storage among each other may seem to have more bytes than there are.
  private static let most = 1e12

  /// The bytes of a value with those outside.
  mutating func bytesOfAll(of value: Any, sharedWith other: Any?) -> Int {
    size(of: value) + bytes(of: value, sharedWith: other)
  }

  /// - Parameter other: an earlier value, whose parts at the same places may share storage; nil for none.
  mutating func bytes(of value: Any, sharedWith other: Any?) -> Int {
    remaining -= 1
    if remaining < 0 || depth > 32 { return 0 }
    if type(of: value) is AnyClass { return 0 }
    if let other, haveSameBits(value, other) { return 0 }
    if let data = value as? Data { return data.count }
    if let text = value as? String {
      // Up to 15 bytes are inside the string.
      return text.utf8.count > 15 ? text.utf8.count + 32 : 0
    }
    depth += 1
    defer { depth -= 1 }
    let parts = Mirror(reflecting: value)
    let others = other.map { Mirror(reflecting: $0).children }
    switch parts.displayStyle {
    case .collection: return bytes(ofElements: parts.children, sharedWith: others)
    case .set, .dictionary: return bytes(ofElements: parts.children, sharedWith: nil) * 2
    default: return bytes(ofParts: parts.children, sharedWith: others)
    }
  }

  private mutating func bytes(
    ofParts parts: Mirror.Children, sharedWith others: Mirror.Children?
  ) -> Int {
    var sum = 0
    var other = others?.startIndex
    for part in parts {
      var shared: Any?
      if let others, let index = other, index != others.endIndex {
        shared = others[index].value
        other = others.index(after: index)
      }
      sum += bytes(of: part.value, sharedWith: shared)
    }
    return sum
  }

  /// The bytes of a buffer, by 32 of its elements.
  private mutating func bytes(
    ofElements elements: Mirror.Children, sharedWith others: Mirror.Children?
  ) -> Int {
    let count = elements.count
    let step = max(1, count / 32)
    var (visited, sum) = (0, 0)
    var (index, other) = (elements.startIndex, others?.startIndex)
    while index != elements.endIndex {
      var shared: Any?
      if let others, let place = other, place != others.endIndex { shared = others[place].value }
      sum += size(of: elements[index].value)
      sum += bytes(of: elements[index].value, sharedWith: shared)
      visited += 1
      _ = elements.formIndex(&index, offsetBy: step, limitedBy: elements.endIndex)
      if let others, var place = other {
        _ = others.formIndex(&place, offsetBy: step, limitedBy: others.endIndex)
        other = place
      }
    }
    if visited == 0 { return 0 }
    return Int(min(Double(sum) * Double(count) / Double(visited), Self.most)) + 32
  }
}

/// The bytes of the value itself.
private func size(of value: Any) -> Int {
  func size<Value>(_ value: Value) -> Int { MemoryLayout<Value>.stride }
  return _openExistential(value, do: size)
}

/// Whether both values have the same bits, and so refer to the same storage.
private func haveSameBits(_ value: Any, _ other: Any) -> Bool {
  func haveSameBits<Value>(_ value: Value) -> Bool {
    guard let other = other as? Value else { return false }
    return withUnsafeBytes(of: value) { bytes in
      withUnsafeBytes(of: other) { bytes.elementsEqual($0) }
    }
  }
  return _openExistential(value, do: haveSameBits)
}
