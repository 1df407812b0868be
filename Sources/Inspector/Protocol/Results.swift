#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answer to `hello`.
struct Hello: Encodable {
  /// The version of the protocol.
  static let version = 1

  var version = Hello.version
  let program: String
  let process: Int
  let canAct: Bool
  let started: Double
}

/// The answer to `composers`.
struct ComposerList: Encodable {
  struct Composer: Encodable {
    let composer: Int
    let name: String
    let type: String
    let isLive: Bool
    let steps: Int
    let stepsPerSecond: Double
    let queue: Int
    let running: Int
    let actions: [String]
    let canSend: Bool
    let canFork: Bool
    let canExport: Bool
    let fork: ForkOrigin?
    /// The number of a virtual clock; nil for another clock.
    let clock: Int?
    let children: [Child]
  }

  struct ForkOrigin: Encodable {
    let composer: Int
    let event: Int
  }

  struct Child: Encodable {
    let name: String
    let isMany: Bool
    let live: Int
    let children: [Child]?

    init(_ child: ChildSummary) {
      (name, isMany, live) = (child.name, child.isMany, child.liveCount)
      children = child.children.isEmpty ? nil : child.children.map { Child($0) }
    }
  }

  let composers: [Composer]
}

/// The answer to `clocks`, and the notification of them.
struct ClockList: Encodable, Equatable {
  struct Clock: Encodable, Equatable {
    let clock: Int
    let elapsed: Double
    let nextDue: Double?
    let isPaused: Bool
    let isWaiting: Bool

    init(_ number: Int, _ status: SteppableClockStatus) {
      clock = number
      (elapsed, nextDue) = (status.elapsed, status.nextDue)
      (isPaused, isWaiting) = (status.isPaused, status.isWaiting)
    }
  }

  let clocks: [Clock]
}

/// The sender of an action, or the cause of an effect.
struct Cause: Encodable, Equatable {
  let kind: String
  var step: Int?
  var effect: Int?
  var id: String?
  var name: String?

  init(_ source: ActionSource) {
    switch source {
    case .outside: kind = "outside"
    case .step(let number): (kind, step) = ("step", number)
    case .effect(let number): (kind, effect) = ("effect", number)
    case .shared(let writer, let number): (kind, name, step) = ("shared", writer, number)
    }
  }

  init(_ origin: EffectOrigin) {
    switch origin {
    case .step(let number): (kind, step) = ("step", number)
    case .stateEffect(let name): (kind, id) = ("stateEffect", name)
    case .middleware(let number): (kind, step) = ("middleware", number)
    case .failure(let number): (kind, effect) = ("failure", number)
    }
  }
}

extension Cause {
  /// `outside`, `effect 4`, `shared 3 of Search`.
  var text: String {
    let number = step ?? effect
    return kind + (number.map { " \($0)" } ?? "") + (name.map { " of \($0)" } ?? "")
  }

  /// The texts with which clients show it.
  var shownTexts: [String] {
    switch kind {
    case "shared":
      let number = step.map { ", step \($0)" } ?? ""
      return [text, "shared value of \(name ?? "")\(number)", "\(name ?? "") \(step ?? 0)"]
    case "stateEffect": return ["state \(id ?? "")", "the state, \(id ?? "")"]
    case "middleware": return [text, "middleware at step \(step ?? 0)"]
    case "failure": return ["failure of \(effect ?? 0)", "the failure of effect \(effect ?? 0)"]
    default: return [text]
    }
  }
}

/// An event in a list.
struct Row: Encodable, Equatable {
  let event: Int
  var composer: Int?
  var socket: Int?
  let time: Double
  let kind: String
  var size: Int?
  var step: Int?
  var source: Cause?
  var text: String?
  var change: String?
  var changes: [String]?
  var moreChanges: Int?
  var effect: Int?
  var id: String?
  var effectKind: String?
  var origin: Cause?
  var outcome: String?
  /// The step that has cancelled the effect.
  var by: Cause?
  var error: String?
}

/// The answer to `open`.
struct OpenedQuery: Encodable { let query: Int }

/// The answer to `rows`.
struct RowPage: Encodable {
  let from: Int
  let rows: [Row]
}

/// The answer to `find`.
struct FoundPosition: Encodable {
  let position: Int
  let isExact: Bool
}

/// The notification of a list of events.
struct QueryProgress: Encodable, Equatable {
  let query: Int
  let count: Int
  let dropped: Int
  let searched: Double
}

/// The answer to `event`.
struct EventDetail: Encodable {
  let row: Row
  let action: [ValueNode]
  let changes: [ValueChange]
  let moreChanges: Int
}

/// The answer to `why`.
struct CausesAndEffects: Encodable {
  struct Branch: Encodable {
    let row: Row
    let children: [Branch]
  }

  let causes: [Row]
  let effects: [Branch]
  let isCut: Bool
}

/// The answer to `state`.
struct StateNode: Encodable {
  let event: Int
  let value: ValueNode
}

/// The answer to `json`.
struct JSONText: Encodable { let text: String }

/// The answer to `actions`.
struct JSONTexts: Encodable { let texts: [String] }

/// The answer to `diff`.
struct Differences: Encodable {
  let changes: [ValueChange]
  let moreChanges: Int

  var isEmpty: Bool { changes.isEmpty && moreChanges == 0 }
}

/// The answer to `fork` and to the import of a file.
struct CreatedComposer: Encodable { let composer: Int }

/// The answer to `export`.
struct ExportedText: Encodable { let text: String }

/// The answer to `compare`.
struct Comparison: Encodable {
  struct Difference: Encodable {
    /// The position of the steps in both, from 0.
    let position: Int
    let rows: [Row?]
    let changes: [ValueChange]
    let moreChanges: Int
    /// From the actions of the first step to those of the second one.
    let actionChanges: [ValueChange]
    let moreActionChanges: Int
    /// What to do about ids or dates that differ in each run; nil for other changes.
    let advice: String?
  }

  /// The number of steps that are equal from the first one on.
  let equalSteps: Int
  /// The first difference; nil for none.
  let difference: Difference?
  /// Whether there are steps behind the equal ones that are not compared.
  let isCut: Bool
}

/// The answer to `effects`.
struct EffectsPage: Encodable {
  struct Effect: Encodable {
    let composer: Int
    let effect: Int
    let id: String?
    let effectKind: String?
    let origin: Cause
    let event: Int
    let started: Double
    let age: Double
    let emissions: Int
    let ended: Double?
    let outcome: String?
    /// The step that has cancelled it.
    let by: Cause?
    let error: String?

    /// - Parameters:
    ///   - now: time by the composer's clock.
    ///   - fileEnd: time of the last event of a file, with which its effects end; nil for none
    ///   - values: describes the error and the id.
    init(
      _ effect: EffectLedger.Effect, of composer: Int, at now: Date, fileEnd: Date? = nil,
      _ values: ValueReader
    ) {
      let end = effect.end?.time ?? fileEnd
      self.composer = composer
      (self.effect, origin) = (effect.number, values.cause(of: effect.origin))
      (id, effectKind) = (values.idText(of: effect.name), effect.name.kind?.name)
      (event, started) = (effect.event, effect.started.timeIntervalSince1970)
      emissions = effect.emissionCount
      age = (end ?? now).timeIntervalSince(effect.started)
      ended = end?.timeIntervalSince1970
      outcome = effect.end?.outcome.name
      by = effect.end?.end.step.map { Cause(ActionSource.step($0)) }
      error = values.errorText(of: effect.end?.outcome)
    }
  }

  let effects: [Effect]
  let moreEffects: Int
}

/// The answer to `template`.
struct Template: Encodable {
  let action: AnyJSON
  /// The enums inside it.
  let choices: [TemplateChoice]
}

extension EffectOutcome {
  /// `completed`, `failed` or `cancelled`.
  var name: String {
    switch self {
    case .completed: "completed"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }

  /// The text of the error; nil for another outcome.
  var error: String? { if case .failed(let error) = self { error } else { nil } }
}
