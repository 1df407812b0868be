import Reactive

/// How much one address may do at a server: each nil, without a limit, unless it is set.
///
/// ```swift
/// admission.addressLimits.connections = 50
/// admission.addressLimits.handshakes = WebSocketRate(perSecond: 5, burst: 20)
/// admission.addressLimits.messages = WebSocketRate(perSecond: 100, burst: 500)
/// ```
///
/// An address is that of the client, as far as ``WebSocketAdmission/proxies`` tell it, without its port; of IPv6
/// it is the first 64 bits, since a network has all that begin with them. A trusted proxy itself has no limit.
public struct AddressLimits: Hashable, Sendable {
  /// How many connections there may be at once; who opens more is refused with 429.
  public var connections: Int?
  /// How many connections may begin, and further requests on them; who begins more is refused with 429.
  public var handshakes: WebSocketRate?
  /// How many messages all of an address's connections may send together.
  ///
  /// The connection that sends one more is closed with 1008 and ends with
  /// ``WebSocketError/tooManyMessages(_:)``; that message, and what follows it, is not delivered. Of connections that
  /// are read at the same time on several event loops each may deliver what is left of the rate.
  public var messages: WebSocketRate?

  /// Nothing is limited.
  public init() {}

  var isUnlimited: Bool { self == AddressLimits() }
}

/// How often something may happen, by a token bucket: `burst` times at once, and again as time passes.
public struct WebSocketRate: Hashable, Sendable {
  /// How many times a second in the long run.
  public var perSecond: Double
  /// How many times at once, after a while without any.
  public var burst: Int

  /// A rate; both have to be positive.
  public init(perSecond: Double, burst: Int) {
    precondition(
      perSecond > 0 && perSecond.isFinite && burst > 0, "A rate of \(perSecond), \(burst).")
    (self.perSecond, self.burst) = (perSecond, burst)
  }
}

/// What is left of a rate.
struct TokenBucket {
  private var tokens: Double?
  private var filled = Duration.zero

  /// Takes `count` tokens; false, and none is taken, when there are not so many.
  mutating func take(_ count: Int, of rate: WebSocketRate, at now: Duration) -> Bool {
    let level = level(of: rate, at: now)
    let isEnough = level >= Double(count)
    (tokens, filled) = (isEnough ? level - Double(count) : level, now)
    return isEnough
  }

  /// How many can be taken.
  func count(of rate: WebSocketRate, at now: Duration) -> Int {
    // `burst` itself may be one more when it is made a Double.
    Int(exactly: level(of: rate, at: now).rounded(.down)) ?? rate.burst
  }

  /// Whether it is as it was at first.
  func isFull(of rate: WebSocketRate?, at now: Duration) -> Bool {
    rate.map { level(of: $0, at: now) >= Double($0.burst) } ?? true
  }

  private func level(of rate: WebSocketRate, at now: Duration) -> Double {
    guard let tokens else { return Double(rate.burst) }
    return min(tokens + max((now - filled) / .seconds(1), 0) * rate.perSecond, Double(rate.burst))
  }
}

/// What the addresses of a server's clients do.
final class AddressLimiter: Sendable {
  /// What is known of one address.
  fileprivate struct Record {
    var connections = 0
    var handshakes = TokenBucket()
    var messages = TokenBucket()
  }

  fileprivate struct State {
    var records: [NetworkAddress: Record] = [:]
    /// The addresses of the connections that are counted, by their numbers.
    var addresses: [Int: NetworkAddress] = [:]
    /// When so many are known, those that are as new are forgotten.
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

  /// How many addresses are known.
  var count: Int { state.withLock { $0.records.count } }

  /// The address that counts; nil for one without a limit.
  private func address(of visitor: Visitor) -> NetworkAddress? {
    guard let client = visitor.client, proxies?.trusts(client) != true else { return nil }
    let bits = client.isIPv4 ? client.bits : (client.bits >> 64) << 64
    return NetworkAddress(bits: bits, port: nil)
  }

  /// A connection has come, or is another client's than before; returns why it is to be refused.
  func note(_ visitor: Visitor, at now: Duration) -> HandshakeRefusal? {
    let address = address(of: visitor)
    return state.withLock { state in
      if state.addresses[visitor.number] != address {
        state.leave(visitor.number)
        if let address {
          state.addresses[visitor.number] = address
          state.records[address, default: Record()].connections += 1
        }
      }
      state.prune { $0.connections == 0 && isForgettable($0, now) }
      guard let address, var record = state.records[address] else { return nil }
      if let limit = limits.connections, record.connections > limit { return Self.tooMany }
      guard let rate = limits.handshakes else { return nil }
      defer { state.records[address] = record }
      return record.handshakes.take(1, of: rate, at: now) ? nil : Self.tooMany
    }
  }

  private func isForgettable(_ record: Record, _ now: Duration) -> Bool {
    record.handshakes.isFull(of: limits.handshakes, at: now)
      && record.messages.isFull(of: limits.messages, at: now)
  }

  /// A connection has ended.
  func leave(_ visitor: Visitor) { state.withLock { $0.leave(visitor.number) } }

  /// How many messages may come now.
  func messageAllowance(of visitor: Visitor, at now: Duration) -> Int {
    guard let rate = limits.messages else { return .max }
    return state.withLock { state in
      guard let address = state.addresses[visitor.number] else { return .max }
      return state.records[address]?.messages.count(of: rate, at: now) ?? .max
    }
  }

  /// Messages have come; false when they are too many.
  func take(_ messages: Int, of visitor: Visitor, at now: Duration) -> Bool {
    guard messages > 0, let rate = limits.messages else { return true }
    return state.withLock { state in
      guard let address = state.addresses[visitor.number], var record = state.records[address]
      else {
        return true
      }
      defer { state.records[address] = record }
      return record.messages.take(messages, of: rate, at: now)
    }
  }

  /// RFC 6585, section 4.
  private static let tooMany = HandshakeRefusal(
    status: 429,
    reason: "Too Many Requests",
    headers: ["Retry-After": "1"],
    body: "too many from one address\n"
  )
}

extension AddressLimiter.State {
  fileprivate mutating func leave(_ number: Int) {
    guard let address = addresses.removeValue(forKey: number) else { return }
    records[address]?.connections -= 1
  }

  /// Forgets what is of no more use, each time when so many are known as twice those that were left.
  fileprivate mutating func prune(_ isForgettable: (AddressLimiter.Record) -> Bool) {
    guard records.count >= pruneCount else { return }
    records = records.filter { !isForgettable($0.value) }
    pruneCount = max(2 * records.count, AddressLimiter.leastPruneCount)
  }
}
