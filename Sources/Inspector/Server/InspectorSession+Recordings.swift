#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requests about recordings.
extension InspectorSession {
  func export(_ params: Params.Export) throws -> ExportedText {
    let record = try reader.composer(params.composer)
    let events = program.log.events
    let first = params.from ?? events.lowerBound
    if first < events.lowerBound { throw RPCError.dropped(first, first: events.lowerBound) }
    let range = first...max(first, params.to ?? .max)
    do {
      switch params.format {
      case .jsonLines:
        let timeline = try record.recording(range, stepsOnly: false)
        let lines = try reader.values.lines(of: timeline)
        return ExportedText(text: lines.map { $0 + "\n" }.joined())
      case .swiftTest: return ExportedText(text: try test(of: record, range, params).text)
      }
    } catch let error as RPCError {
      throw error
    } catch {
      throw RPCError.invalidParams("\(error)")
    }
  }

  private func test(
    of record: ComposerRecord, _ range: ClosedRange<Int>, _ params: Params.Export
  ) throws -> TestSource {
    let timeline = try record.recording(range, stepsOnly: true)
    var lines = try reader.values.lines(of: timeline)
    if let expected = params.expected, let last = lines.last {
      try record.types.checkState(expected)
      var corrected = try AnyJSON(parsing: last)
      corrected[statePath] = expected
      lines[lines.count - 1] = try corrected.line
    }
    return TestSource(
      name: params.name ?? "the recorded steps of \(record.typeName)",
      typeName: record.qualifiedTypeName, maker: params.make, lines: lines,
      steps: stepTexts(of: record, range), isCorrected: params.expected != nil)
  }

  /// One line for each of the last 100 steps in a range.
  private func stepTexts(of record: ComposerRecord, _ range: ClosedRange<Int>) -> [String] {
    let numbers = steps(of: record, range)
    let texts = numbers.suffix(100).compactMap { program.log.event($0) }.map { event in
      let row = reader.row(of: event)
      let changes = (row.changes ?? []).joined(separator: "; ")
      return "step \(row.step ?? 0) by \(row.source?.text ?? ""): \(row.text ?? "")"
        + (changes.isEmpty ? "" : "; " + changes)
    }
    return numbers.count > 100 ? ["\(numbers.count - 100) earlier steps"] + texts : texts
  }

  /// The numbers of the events of steps in a range.
  private func steps(of record: ComposerRecord, _ range: ClosedRange<Int>) -> [Int] {
    program.log.withLock { log in
      log.events(of: record, in: range).filter { log[$0].kind == .step }
    }
  }

  /// The most steps that are compared.
  private static let comparedSteps = 10_000

  func compare(_ params: Params.Compare) throws -> Comparison {
    guard params.composers.count == 2 else {
      throw RPCError.invalidParams("Two composers are compared, not \(params.composers.count).")
    }
    let records = try params.composers.map { try reader.composer($0) }
    let steps = records.map { self.steps(of: $0, 1 ... .max) }
    for position in 0..<min(max(steps[0].count, steps[1].count), Self.comparedSteps) {
      let events = steps.map { steps in
        position < steps.count ? program.log.event(steps[position]) : nil
      }
      let texts = events.map { event in
        event.map { $0.actions.map { reader.values.shortText(of: $0, limit: 10_000) } }
      }
      let found = reader.changes(from: events[0]?.after, to: events[1]?.after)
      if texts[0] == texts[1], found.changes.isEmpty { continue }
      return Comparison(
        equalSteps: position,
        difference: Comparison.Difference(
          position: position, rows: events.map { $0.map { reader.row(of: $0) } },
          changes: found.changes, moreChanges: found.moreChanges))
    }
    return Comparison(equalSteps: min(steps[0].count, Self.comparedSteps), difference: nil)
  }
}

extension Cause {
  /// `outside`, `effect 4`.
  fileprivate var text: String {
    let number = step ?? effect
    return kind + (number.map { " \($0)" } ?? "") + (name.map { " of \($0)" } ?? "")
  }
}

extension AnyJSON {
  /// The JSON on one line, with sorted keys.
  fileprivate var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
