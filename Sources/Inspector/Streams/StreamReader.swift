import Dispatch

/// Lists the traced streams of the program.
struct StreamReader: Sendable {
  /// Reads elements, which other threads may be using.
  private let values: ValueReader
  /// Reads errors, which may be read on any thread.
  private let errors: ValueReader

  /// The most streams of a list.
  static let limit = 2_000

  // The folder of this module's sources at compile time: streams of the inspector itself are not listed.
  private static let sources =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(2).joined(separator: "/") + "/"

  // Reading takes up to seconds. One client at a time, on a thread that the program's tasks do not use.
  private static let queue = DispatchQueue(label: "Inspector.streams", qos: .utility)

  init(_ values: ValueReader) {
    errors = values
    self.values = ValueReader(redaction: values.redaction, readsObjects: false)
  }

  /// The newest streams, without blocking the caller.
  func list() async -> StreamList {
    await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: read()) }
    }
  }

  private func read() -> StreamList {
    let live = Streams.live.filter { $0.file?.hasPrefix(Self.sources) != true }
    let newest = live.suffix(Self.limit)
    let last = Streams.lastElements(of: newest.map(\.id))
    return StreamList(
      isTraced: Streams.isTraced && Streams.canBeTraced, hint: hint,
      streams: newest.map { stream in
        StreamList.Stream(
          stream, last: last[stream.id].map { values.shortText(of: $0, limit: 100) })
      },
      moreStreams: live.count - newest.count)
  }

  private var hint: String? {
    if !Streams.canBeTraced {
      return """
        Release builds trace streams with the package's trait Tracing only. Add it to the dependency, \
        or use a debug build.
        """
    }
    if Streams.isTraced { return nil }
    return """
      Set tracesStreams in the inspector's configuration, or Streams.isTraced = true, before the program \
      makes its observables.
      """
  }

  /// The event of a stream as the protocol has it.
  ///
  /// - Parameter time: seconds since 1970
  func marble(_ event: StreamEvent, of stream: Int, at time: Double) -> MarbleList.Marble {
    let (kind, text): (String, String?) =
      switch event {
      case .next(let element): ("next", values.shortText(of: element, limit: 200))
      case .error(let error): ("error", errors.shortText(of: error, limit: 200))
      case .completed: ("completed", nil)
      case .disposed: ("disposed", nil)
      }
    return MarbleList.Marble(stream: stream, time: time, kind: kind, text: text)
  }
}
