#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The part of an event that does not depend on the composer's types.
struct EventHead: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case step(Int, ActionSource)
    case started(effect: Int, EffectOrigin, EffectName)
    case ended(effect: Int, EffectEnd, EffectName)
    case socket(SocketEvent)
  }

  /// The number of the event among those of all composers.
  let number: Int
  /// The number of the composer or the socket.
  let source: Int
  /// The time by the source's clock.
  let time: Date
  let kind: Kind
  /// The number of the event that was delivered on the thread when this one happened; nil for none.
  var deliveredEvent: Int?

  /// The number of the step; nil for another event.
  var step: Int? { if case .step(let number, _) = kind { number } else { nil } }
}

/// An event with the values of the program, which are described when a client asks for them.
struct RecordedEvent: Sendable {
  let head: EventHead
  /// The actions of a step; empty for another event.
  let actions: [any Sendable]
  /// The name of the change of a step; nil for none.
  let change: String?
  /// The state before the step; nil for another event, and when the step before it is not recorded.
  let before: (any Sendable)?
  /// The state after the step; nil for another event.
  let after: (any Sendable)?
}
