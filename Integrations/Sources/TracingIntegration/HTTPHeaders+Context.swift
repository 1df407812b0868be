import Sockets
import Tracing

extension HTTPHeaders {
  /// Adds the headers of a span's context, such as `traceparent`, by the instruments of the process.
  ///
  /// ```swift
  /// var configuration = WebSocketConfiguration()
  /// configuration.headers.inject(ServiceContext.current)
  /// let socket = WebSocket.connect(to: url, configuration: configuration)
  /// ```
  ///
  /// A header of the same name is replaced.
  ///
  /// - Parameter context: context to inject; nil adds nothing
  public mutating func inject(_ context: ServiceContext?) {
    guard let context else { return }
    InstrumentationSystem.instrument.inject(context, into: &self, using: HeaderInjector())
  }

  /// The context that the headers carry, extracted by the instruments of the process.
  ///
  /// It is empty without such headers: a span in it begins a trace.
  public var serviceContext: ServiceContext {
    var context = ServiceContext.topLevel
    InstrumentationSystem.instrument.extract(self, into: &context, using: HeaderExtractor())
    return context
  }
}

extension WebSocketRequest {
  /// The context that the client has sent with its request for a WebSocket.
  ///
  /// ```swift
  /// withSpan("join", context: socket.request?.serviceContext ?? .topLevel, ofKind: .server) { _ in ... }
  /// ```
  ///
  /// The headers are parsed at each access.
  public var serviceContext: ServiceContext { headers.serviceContext }
}

extension HTTPRequest {
  /// The context that the client has sent with its plain request.
  public var serviceContext: ServiceContext { headers.serviceContext }
}

private struct HeaderInjector: Injector {
  func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
    headers[key] = value
  }
}

private struct HeaderExtractor: Extractor {
  func extract(key: String, from headers: HTTPHeaders) -> String? {
    let values = headers.values(of: key)
    // A list in several fields is one list (RFC 9110, section 5.3), as of `tracestate`.
    return values.isEmpty ? nil : values.joined(separator: ",")
  }
}
