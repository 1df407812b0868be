import Synchronization

/// A channel as an effect: subscribed while the effect runs, with messages and failures as actions.
///
/// ```swift
/// case .joined(let room):
///   return SocketChannelEffect(
///     channelBuilder: { [cable] in cable.channel("ChatChannel", ["chat_id": .integer(room)]) },
///     outputMapper: ChatOutputs(),
///     actionMapper: ChatActions(),
///     flowID: room
///   ) { failure, room in .chatFailed(failure, room) }
///   .effect(cancellation: ID.chat(room))
/// case .left(let room): return .cancel(id: ID.chat(room))
/// ```
///
/// Messages are mapped in two steps: to outputs when they arrive, and to actions in the composer's
/// turn. Outputs and failures within one window are one step, in the order of the wire.
///
/// The channel unsubscribes when it is released. While the effect runs, its subscription to the
/// channel's events holds the channel; nothing else should. The effect ends when the cable is
/// released, or when there is no channel. Messages of an unfinished window are dropped when the
/// effect is cancelled.
public struct SocketChannelEffect<
  Outputs: ChannelOutputMapping, Actions: ChannelActionMapping, FlowID: Hashable & Sendable
>: Sendable where Outputs.Output == Actions.Output {
  /// The composer's action.
  public typealias Action = Actions.Action

  private enum Item: Sendable {
    case output(Outputs.Output)
    case failure(ChannelFailure)
  }

  private let channelBuilder: @Sendable () -> CableChannel?
  private let outputMapper: Outputs
  private let actionMapper: Actions
  private let errorMapper: @Sendable (ChannelFailure, FlowID) -> Action?
  private let flowID: FlowID
  private let window: Duration

  /// Creates an effect of a channel.
  ///
  /// - Parameters:
  ///   - channelBuilder: called when the effect starts; returns the channel, which the effect
  ///     subscribes if it is unsubscribed. With nil the effect maps the failure `noChannel` and ends.
  ///   - outputMapper: maps messages to outputs.
  ///   - actionMapper: maps outputs and the state to actions.
  ///   - flowID: an identity of your choice, passed to `errorMapper` and `cancelMapper`.
  ///   - window: how long messages are collected, from the first one on, by the composer's clock:
  ///     330 ms; zero for no collecting.
  ///   - errorMapper: maps a failure to an action; nil for none. Called where the composer reduces.
  public init(
    channelBuilder: @escaping @Sendable () -> CableChannel?,
    outputMapper: Outputs,
    actionMapper: Actions,
    flowID: FlowID,
    window: Duration = .milliseconds(330),
    errorMapper: @escaping @Sendable (ChannelFailure, FlowID) -> Action?
  ) {
    (self.channelBuilder, self.outputMapper) = (channelBuilder, outputMapper)
    (self.actionMapper, self.errorMapper) = (actionMapper, errorMapper)
    (self.flowID, self.window) = (flowID, window)
  }

  /// The effect; disposing its bag, the composer's or one of `.cancellable(bag)`, ends the effect.
  public var effect: Observable<Effect<Action>> {
    // Read where the effect is made; it may start elsewhere.
    let clock = EffectContext.clock
    return Observable.deferred { [self] in
      guard let channel = channelBuilder() else { return .just(step(for: [.failure(.noChannel)])) }
      return channel.events
        .compactMap { item(from: $0) }
        // A channel with `autoSubscribe` may have been rejected already; `subscribe()` would ask the
        // server again.
        .do(onSubscribed: { if channel.state == .unsubscribed { channel.subscribe() } })
        .batched(within: window, scheduler: clock)
        .map { step(for: $0) }
    }
    .named(.channel)
  }

  /// The effect with an id in the composer, by which `.cancel(id:)` ends it.
  ///
  /// While an effect with this id runs, further ones are ignored.
  ///
  /// - Parameters:
  ///   - id: id for cancelling.
  ///   - cancelMapper: returns an action when the effect is cancelled by its id; nil for none, the
  ///     default. Not called when the effect ends by itself, with its bag or with the composer.
  public func effect(
    cancellation id: some Hashable & Sendable,
    cancelMapper: @escaping @Sendable (FlowID) -> Action? = { _ in nil }
  ) -> Observable<Effect<Action>> {
    let runState = RunState()
    let running =
      effect
      .do(onCompleted: { runState.end() }, onSubscribe: { runState.begin() })
      .cancellable(id: id, whenBusy: .ignore)
    let flowID = flowID
    return Observable.concat(
      running,
      .deferred {
        // A cancelled effect completes without having ended by itself.
        guard runState.isRunning, let action = cancelMapper(flowID) else { return .none }
        return .send(action)
      }
    )
    .named(.channel)
  }

  private func item(from event: CableChannelEvent) -> Item? {
    switch event {
    case .message(let message):
      do {
        return try outputMapper.map(from: message).map(Item.output)
      } catch {
        return .failure(.undecodable(message, "\(error)"))
      }
    case .rejected: return .failure(.rejected)
    case .timedOut(let limit): return .failure(.timedOut(after: limit))
    case .disconnected(let ending): return .failure(.disconnected(ending))
    case .performFailed(let perform, let error): return .failure(.performFailed(perform, error))
    case .subscribed, .unsubscribed: return nil
    }
  }

  private func step(for items: [Item]) -> Effect<Action> {
    .decide { (state: Actions.State) in
      items.flatMap { item -> [Action] in
        switch item {
        case .output(let output): actionMapper.mapAction(from: output, state: state).actions
        case .failure(let failure): errorMapper(failure, flowID).map { [$0] } ?? []
        }
      }
    }
  }
}

/// Whether an effect has begun, and has not ended by itself.
private final class RunState: Sendable {
  // Relaxed: it is read where the effect's end is delivered, after the write.
  private let state = Atomic(false)

  var isRunning: Bool { state.load(ordering: .relaxed) }
  func begin() { state.store(true, ordering: .relaxed) }
  func end() { state.store(false, ordering: .relaxed) }
}
