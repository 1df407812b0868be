/// The limits of one client address at a server; nil means no limit.
///
/// ```swift
/// admission.addressLimits.connections = 50
/// admission.addressLimits.handshakes = WebSocketRate(perSecond: 5, burst: 20)
/// admission.addressLimits.messages = WebSocketRate(perSecond: 100, burst: 500)
/// ```
///
/// The address is the client's, according to ``WebSocketAdmission/proxies``, without its port. Of
/// an IPv6 address the first 64 bits count, because one network owns all addresses that begin with
/// them. A trusted proxy itself has no limit.
public struct AddressLimits: Hashable, Sendable {
  /// The most connections at once; more are refused with 429.
  public var connections: Int?
  /// The rate of new connections and further requests on them; more are refused with 429.
  public var handshakes: WebSocketRate?
  /// The rate of messages that all connections of an address may send together.
  ///
  /// The connection that exceeds it is closed with 1008 and ends with
  /// ``WebSocketError/tooManyMessages(_:)``. The message above the rate and all later ones are not
  /// delivered. Connections that are read at the same time on different event loops may each
  /// deliver the rest of the rate.
  public var messages: WebSocketRate?

  /// Sets no limit.
  public init() {}

  var isUnlimited: Bool { self == AddressLimits() }
}

/// A rate enforced by a token bucket: it holds `burst` tokens and refills as time passes.
public struct WebSocketRate: Hashable, Sendable {
  /// The average number per second.
  public var perSecond: Double
  /// The largest number at once, after a pause.
  public var burst: Int

  /// Makes a rate; both values must be positive.
  public init(perSecond: Double, burst: Int) {
    precondition(Self.isValid(perSecond, burst), "A rate of \(perSecond), \(burst).")
    (self.perSecond, self.burst) = (perSecond, burst)
  }
}

extension WebSocketRate: Codable {
  /// Decodes a rate; throws `DecodingError` unless both numbers are positive and finite.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    perSecond = try values.decode(Double.self, forKey: .perSecond)
    burst = try values.decode(Int.self, forKey: .burst)
    if Self.isValid(perSecond, burst) { return }
    throw DecodingError.dataCorruptedError(
      forKey: .perSecond, in: values, debugDescription: "a rate of \(perSecond), \(burst)")
  }

  private static func isValid(_ perSecond: Double, _ burst: Int) -> Bool {
    perSecond > 0 && perSecond.isFinite && burst > 0
  }
}

/// The tokens that are left of a rate.
struct TokenBucket {
  private var tokens: Double?
  private var filled = Duration.zero

  /// Takes `count` tokens; returns false and takes none when there are fewer.
  mutating func take(_ count: Int, of rate: WebSocketRate, at now: Duration) -> Bool {
    let level = level(of: rate, at: now)
    let isEnough = level >= Double(count)
    (tokens, filled) = (isEnough ? level - Double(count) : level, now)
    return isEnough
  }

  /// How many tokens can be taken.
  func count(of rate: WebSocketRate, at now: Duration) -> Int {
    // A huge `burst` may round up by one as a Double.
    Int(exactly: level(of: rate, at: now).rounded(.down)) ?? rate.burst
  }

  /// Whether the bucket is full again, as a new one is.
  func isFull(of rate: WebSocketRate?, at now: Duration) -> Bool {
    rate.map { level(of: $0, at: now) >= Double($0.burst) } ?? true
  }

  private func level(of rate: WebSocketRate, at now: Duration) -> Double {
    guard let tokens else { return Double(rate.burst) }
    return min(tokens + max((now - filled) / .seconds(1), 0) * rate.perSecond, Double(rate.burst))
  }
}

/// Counts and limits what the addresses of a server's clients do.
final class AddressLimiter: Sendable {
  /// The counts of one address.
  fileprivate struct Record {
    var connections = 0
    var handshakes = TokenBucket()
    var messages = TokenBucket()
  }

  fileprivate struct State {
    var records: [NetworkAddress: Record] = [:]
    /// The addresses of the counted connections, by connection number.
    var addresses: [Int: NetworkAddress] = [:]
    /// The number of records at which idle ones are removed.
    var pruneCount = AddressLimiter.leastPruneCount
  }

  private let limits: AddressLimits
  private let proxies: TrustedProxies?
  private let state = Locked(State())

  private static let leastPruneCount = 1_024

  init(_ limits: AddressLimits, _ proxies: TrustedProxies?) {
    (self.limits, self.proxies) = (limits, proxies)
  }

  var messageRate: WebSocketRate? { limits.messages }

  /// How many addresses have a record.
  var count: Int { state.withLock { $0.records.count } }

  /// The address that is limited; nil for one without a limit.
  private func limitedAddress(of remoteClient: RemoteClient) -> NetworkAddress? {
    guard let address = remoteClient.address, proxies?.trusts(address) != true else { return nil }
    let bits = address.isIPv4 ? address.bits : (address.bits >> 64) << 64
    return NetworkAddress(bits: bits, port: nil)
  }

  /// Counts a new connection, or a further request; returns the refusal if a limit is exceeded.
  func note(_ remoteClient: RemoteClient, at now: Duration) -> HandshakeRefusal? {
    let address = limitedAddress(of: remoteClient)
    return state.withLock { state in
      if state.addresses[remoteClient.number] != address {
        state.removeConnection(remoteClient.number)
        if let address {
          state.addresses[remoteClient.number] = address
          state.records[address, default: Record()].connections += 1
        }
      }
      state.prune { $0.connections == 0 && isRemovable($0, now) }
      guard let address, var record = state.records[address] else { return nil }
      if let limit = limits.connections, record.connections > limit { return Self.tooMany }
      guard let rate = limits.handshakes else { return nil }
      defer { state.records[address] = record }
      return record.handshakes.take(1, of: rate, at: now) ? nil : Self.tooMany
    }
  }

  private func isRemovable(_ record: Record, _ now: Duration) -> Bool {
    record.handshakes.isFull(of: limits.handshakes, at: now)
      && record.messages.isFull(of: limits.messages, at: now)
  }

  /// Notes that a connection has ended.
  func connectionEnded(_ remoteClient: RemoteClient) {
    state.withLock { $0.removeConnection(remoteClient.number) }
  }

  /// How many messages may be delivered now.
  func messageAllowance(of remoteClient: RemoteClient, at now: Duration) -> Int {
    guard let rate = limits.messages else { return .max }
    return state.withLock { state in
      guard let address = state.addresses[remoteClient.number] else { return .max }
      return state.records[address]?.messages.count(of: rate, at: now) ?? .max
    }
  }

  /// Counts delivered messages; returns false when they exceed the rate.
  func take(_ messages: Int, of remoteClient: RemoteClient, at now: Duration) -> Bool {
    guard messages > 0, let rate = limits.messages else { return true }
    return state.withLock { state in
      guard let address = state.addresses[remoteClient.number],
        var record = state.records[address]
      else { return true }
      defer { state.records[address] = record }
      return record.messages.take(messages, of: rate, at: now)
    }
  }

  /// The refusal of RFC 6585, section 4.
  private static let tooMany = HandshakeRefusal(
    status: 429, headers: ["Retry-After": "1"], body: "too many requests from this address\n")
}

extension AddressLimiter.State {
  fileprivate mutating func removeConnection(_ number: Int) {
    guard let address = addresses.removeValue(forKey: number) else { return }
    records[address]?.connections -= 1
  }

  /// Removes idle records once there are twice as many as the last removal left.
  fileprivate mutating func prune(_ isRemovable: (AddressLimiter.Record) -> Bool) {
    guard records.count >= pruneCount else { return }
    records = records.filter { !isRemovable($0.value) }
    pruneCount = max(2 * records.count, AddressLimiter.leastPruneCount)
  }
}
