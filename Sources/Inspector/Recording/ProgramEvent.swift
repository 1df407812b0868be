/// What happened in the program.
///
/// One word, because there are many.
enum ProgramEvent: Sendable {
  case step(RecordedStep)
  case effect(EffectEvent)
  case socket(SocketEvent)

  var step: RecordedStep? { if case .step(let step) = self { step } else { nil } }
}

/// What happened to an effect of a composer.
indirect enum EffectEvent: Sendable {
  case started(Int, EffectOrigin, EffectName)
  case ended(Int, EffectEnd, EffectName)
}

extension ProgramEvent {
  /// The kind as clients ask for it.
  var kind: EventFilter.Kind {
    switch self {
    case .step: .step
    case .effect(.started): .started
    case .effect(.ended): .ended
    case .socket(.received): .received
    case .socket(.sent): .sent
    case .socket: .socket
    }
  }
}

extension EventHead.Kind {
  init(_ event: ProgramEvent) {
    switch event {
    case .step(let step): self = .step(step.number, step.source)
    case .effect(.started(let effect, let origin, let name)):
      self = .started(effect: effect, origin, name)
    case .effect(.ended(let effect, let end, let name)):
      self = .ended(effect: effect, end, name)
    case .socket(let event): self = .socket(event)
    }
  }
}
