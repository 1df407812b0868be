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
    let last = params.to ?? .max
    if last < first {
      throw RPCError.invalidParams("The last event, \(last), is before the first one, \(first).")
    }
    if params.make?.contains(where: \.isNewline) == true {
      throw RPCError.invalidParams("The expression that makes the composer must be on one line.")
    }
    let range = first...last
    do {
      switch params.format {
      case .jsonLines:
        let timeline = try record.recording(range, stepsOnly: false)
        let lines = try reader.values.lines(
          of: timeline, typeName: record.qualifiedTypeName, while: { isOpen })
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
    var lines = try reader.values.lines(of: timeline, while: { isOpen })
    let corrections = params.set ?? []
    let isCorrected = params.expected != nil || !corrections.isEmpty
    if isCorrected, let last = lines.last {
      var corrected = try AnyJSON(parsing: last)
      let recorded = corrected[statePath] ?? .null
      corrected[statePath] = try Self.state(params.expected ?? recorded, corrections, of: record)
      lines[lines.count - 1] = try corrected.line
    }
    let owner = record.qualifiedTypeName == nil ? "a file" : record.typeName
    return TestSource(
      name: params.name ?? "the recorded steps of \(owner)",
      typeName: record.qualifiedTypeName, maker: params.make,
      lines: lines, steps: stepTexts(of: record, range), isCorrected: isCorrected)
  }

  /// The state with corrections, which is one of the composer's type.
  private static func state(
    _ state: AnyJSON, _ corrections: [Correction], of record: ComposerRecord
  ) throws(RecordingError) -> AnyJSON {
    var corrected = state
    for correction in corrections { corrected = try correction.applied(to: corrected) }
    let decoded = try record.types.checkedState(corrected)
    // A name that the type does not have is not decoded.
    let known = record.types.isOfFile ? state : decoded
    let unknown = corrections.first { known.value(at: $0.path) == nil && $0.json != .null }
    if let unknown { throw .noValue(path: unknown.place) }
    return corrected
  }

  /// One line for each of the last 100 steps in a range.
  private func stepTexts(of record: ComposerRecord, _ range: ClosedRange<Int>) -> [String] {
    let numbers = steps(of: record, range)
    let texts = numbers.suffix(100).compactMap { program.log.event($0) }.map { event in
      let row = reader.row(of: event)
      let changes = (row.changes ?? []).joined(separator: "; ")
      let action = (row.text ?? "").cut(to: changes.isEmpty ? .max : Self.longestAction)
      return "step \(row.step ?? 0) by \(row.source?.text ?? ""): \(action)"
        + (changes.isEmpty ? "" : "; " + changes)
    }
    return numbers.count > 100 ? ["\(numbers.count - 100) earlier steps"] + texts : texts
  }

  /// The most characters of an action before the changes of its step.
  private static let longestAction = 40

  /// The numbers of the events of steps in a range.
  func steps(of record: ComposerRecord, _ range: ClosedRange<Int>) -> [Int] {
    program.log.withLock { log in
      log.events(of: record, in: range).filter { log[$0].kind == .step }
    }
  }
}

extension AnyJSON {
  /// The JSON on one line, with sorted keys.
  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
