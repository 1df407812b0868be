import Dispatch
import Synchronization

/// A channel as an effect of a composer: subscribed while the effect runs, its messages and its failures
/// as actions.
///
/// ```swift
/// case .joined(let room):
///   return SocketChannelEffect(
///     channelBuilder: { [cable] in cable.channel("ChatChannel", ["chat_id": .integer(room)]) },
///     outputMapper: ChatOutputs(),
///     actionMapper: ChatActions(),
///     flowId: room
///   ) { failure, room in .chatFailed(failure, room) }
///   .effect(cancellation: ID.chat(room))
/// case .left(let room): return .cancel(id: ID.chat(room))
/// ```
///
/// Messages are mapped in two steps: to outputs where they arrive, and to actions in the composer's turn.
/// Outputs and failures that come within one window are one step, in the order of the wire.
///
/// The effect holds the channel and nobody else should: it unsubscribes when it is released. The effect
/// ends when the cable is released, or when there is no channel.
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
  private let flowId: FlowID
  private let window: RxTimeInterval

  /// An effect of this channel.
  ///
  /// - Parameters:
  ///   - channelBuilder: makes the channel when the effect starts; the effect subscribes it. With nil the
  ///     effect fails with `noChannel` and ends.
  ///   - outputMapper: makes outputs of messages.
  ///   - actionMapper: makes actions of outputs and the state.
  ///   - flowId: what failures are told with.
  ///   - window: how long messages are collected from the first one on, by the composer's clock: a third of
  ///     a second; zero for not at all.
  ///   - errorMapper: makes an action of a failure; nil for none. Called where the composer reduces.
  public init(
    channelBuilder: @escaping @Sendable () -> CableChannel?,
    outputMapper: Outputs,
    actionMapper: Actions,
    flowId: FlowID,
    window: RxTimeInterval = .milliseconds(330),
    errorMapper: @escaping @Sendable (ChannelFailure, FlowID) -> Action?
  ) {
    (self.channelBuilder, self.outputMapper) = (channelBuilder, outputMapper)
    (self.actionMapper, self.errorMapper) = (actionMapper, errorMapper)
    (self.flowId, self.window) = (flowId, window)
  }

  /// The effect; its bag, the composer's or one of `.cancellable(bag)`, ends it.
  public var effect: Observable<Effect<Action>> {
    let clock = EffectContext.clock
    return .deferred { [self] in
      guard let channel = channelBuilder() else { return .just(effect(of: [.failure(.noChannel)])) }
      return channel.events
        .compactMap { item(of: $0) }
        // One that subscribes by itself may have been rejected by now.
        .do(onSubscribed: { if channel.state == .unsubscribed { channel.subscribe() } })
        .batched(within: window, scheduler: clock)
        .map { effect(of: $0) }
    }
  }

  /// The effect by an id of the composer: while one of this id runs, others are ignored, and
  /// `.cancel(id:)` ends it.
  ///
  /// - Parameters:
  ///   - id: what to cancel it by.
  ///   - cancelMapper: makes an action of its cancellation by id or bag; nil for none, the default. None
  ///     comes when the effect ends by itself, and when the composer is released.
  public func effect(
    cancellation id: some Hashable & Sendable,
    cancelMapper: @escaping @Sendable (FlowID) -> Action? = { _ in nil }
  ) -> Observable<Effect<Action>> {
    let fate = Fate()
    let running =
      effect
      .do(onCompleted: { fate.end() }, onSubscribe: { fate.begin() })
      .cancellable(id: id, whenBusy: .ignore)
    let flowId = flowId
    return .concat(
      running,
      .deferred {
        guard fate.isCancelled, let action = cancelMapper(flowId) else { return .none }
        return .send(action)
      }
    )
  }

  private func item(of event: CableChannelEvent) -> Item? {
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

  private func effect(of items: [Item]) -> Effect<Action> {
    .decide { (state: Actions.State) in
      items.flatMap { item -> [Action] in
        switch item {
        case .output(let output): actionMapper.mapAction(from: output, state: state).actions
        case .failure(let failure): errorMapper(failure, flowId).map { [$0] } ?? []
        }
      }
    }
  }
}

/// Whether an effect was cancelled: it has begun, and did not end by itself.
private final class Fate: Sendable {
  private let isRunning = Atomic(false)

  var isCancelled: Bool { isRunning.load(ordering: .relaxed) }
  func begin() { isRunning.store(true, ordering: .relaxed) }
  func end() { isRunning.store(false, ordering: .relaxed) }
}
