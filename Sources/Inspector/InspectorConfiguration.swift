/// What an inspector shows, to whom, and how much it keeps.
public struct InspectorConfiguration: Sendable {
  /// The address to listen on: the loopback address of IPv4, which only this machine reaches.
  ///
  /// Everyone who reaches another address and knows the secret in the URL sees the program's data,
  /// unencrypted.
  public var host = "127.0.0.1"

  /// The port to listen on: 0, any free port.
  public var port: UInt16 = 0

  /// Whether clients may act on the program: send actions; true by default.
  public var canAct = true

  /// Whether a virtual clock is paused when its first composer is observed; false by default.
  ///
  /// With true, nothing of a program in `VirtualTime` of ReactiveTesting is missed: its `advance(by:)` waits
  /// until a client steps or resumes the clock, or the inspector stops.
  public var pausesVirtualClocks = false

  /// Whether all composers that are bound from now on, and all sockets, are observed; true by default.
  ///
  /// With false, only those that are added to the inspector are.
  public var observesAll = true

  /// Whether subscriptions are traced, for the view of streams; false by default.
  ///
  /// With true, the start of the inspector sets `Streams.isTraced`, for the whole program and also after the
  /// inspector has stopped. Only observables that are made later are traced. Each stage of a subscription
  /// takes about 10 microseconds more and 1 KiB, and each element a clock read for each stage. In a release
  /// build this needs the package's trait `Tracing`.
  public var tracesStreams = false

  /// The estimated bytes of the events that are kept, of which the oldest are dropped first: 64 MiB.
  public var byteLimit = 64 << 20

  /// The names whose values are hidden from clients: those of ``InspectorRedaction/standard``.
  public var redaction = InspectorRedaction.standard

  /// The clock of the notifications; the global dispatch queue by default.
  public var scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .utility)

  /// Listens on the loopback address, shows all composers, and lets clients act.
  public init() {}
}
