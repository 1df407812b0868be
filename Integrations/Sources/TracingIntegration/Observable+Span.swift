import Reactive
import Synchronization
import Tracing

extension ObservableType where Element: Sendable {
  /// Makes a span of each subscription, from its beginning to its end.
  ///
  /// ```swift
  /// case .load(let id):
  ///   return .run { send in send(.loaded(try await api.load(id))) }.span("load")
  /// ```
  ///
  /// The source is subscribed to in the context of the span, `ServiceContext.current`. The tasks that it
  /// starts inherit the context: spans in an effect's `run` are children of this one. What the source
  /// emits is passed on unchanged, on the same thread. An error is recorded, and is the status of the
  /// span. The span of a subscription that is disposed of has the attribute `observable.cancelled`.
  ///
  /// - Parameters:
  ///   - name: name of the span
  ///   - kind: kind of the span: internal by default; `client` for a request to another process
  ///   - context: parent of the span: the context of the subscribing task, if it has one
  ///   - tracer: makes the span: that of `InstrumentationSystem` at the time of the subscription
  ///   - attributes: attributes of the span: none
  public func span(
    _ name: String, ofKind kind: SpanKind = .internal, context: ServiceContext? = nil,
    tracer: (any Tracer)? = nil, attributes: SpanAttributes = [:]
  ) -> Observable<Element> {
    let source = asObservable()
    return .using {
      let span = (tracer ?? InstrumentationSystem.tracer).startAnySpan(
        name, context: context ?? .current ?? .topLevel, ofKind: kind)
      span.attributes.merge(attributes)
      return OpenSpan(span)
    } observableFactory: { span in
      source.subscribe(on: ContextScheduler(context: span.context))
        .do(onError: { span.fail($0) }, onCompleted: { span.succeed() })
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
  /// Makes a span of each subscription, from its beginning to its end: of a request, for example.
  ///
  /// ```swift
  /// socket.request(Add(id: 7, a: 1, b: 2), as: Sum.self, matching: \.id).span("add", ofKind: .client)
  /// ```
  ///
  /// See ``/Reactive/ObservableType/span(_:ofKind:context:tracer:attributes:)``. Around the async form of a
  /// request use `withSpan`.
  public func span(
    _ name: String, ofKind kind: SpanKind = .internal, context: ServiceContext? = nil,
    tracer: (any Tracer)? = nil, attributes: SpanAttributes = [:]
  ) -> Single<Element> {
    asObservable().span(
      name, ofKind: kind, context: context, tracer: tracer, attributes: attributes
    ).asSingle()
  }
}

/// Runs work at once, in a context.
private struct ContextScheduler: ImmediateSchedulerType {
  let context: ServiceContext

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    ServiceContext.withValue(context) { action(state) }
  }
}

/// A span that is ended once.
private final class OpenSpan: Disposable {
  private let span: any Span
  private let isOpen = Atomic(true)

  init(_ span: any Span) { self.span = span }

  var context: ServiceContext { span.context }

  func succeed() { end {} }

  func fail(_ error: any Error) {
    end {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error, message: "\(error)"))
    }
  }

  /// Ends the span of a subscription that was disposed of; without effect after its end.
  func dispose() { end { span.attributes["observable.cancelled"] = true } }

  private func end(_ note: () -> Void) {
    guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
    note()
    span.end()
  }
}
