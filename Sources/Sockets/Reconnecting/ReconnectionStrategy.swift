/// How often a ``ReconnectingWebSocket`` connects again, and after which delays.
///
/// Attempts are counted from 0, the first after a connection was lost or failed. The count
/// continues from one connection to the next, unless a connection lasts for
/// ``ReconnectionConfiguration/stableAfter``.
public typealias ReconnectionStrategy = Backoff
