#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value that a reducer has read from ``Dependencies`` and that is another one each time.
///
/// A recorded step has its values, so that a replay gets the same ones.
public enum DrawnValue: Codable, Hashable, Sendable {
  /// A result of ``Dependencies/uuid``.
  case id(UUID)
  /// The date that ``Dependencies/now`` has returned.
  case date(Date)
  /// A number of a ``RandomSource``.
  case number(UInt64)
}

/// A type of the values that reducers draw.
protocol Drawable {
  /// The value; nil for one of another type.
  init?(drawn: DrawnValue)

  var drawn: DrawnValue { get }
}

extension UUID: Drawable {
  init?(drawn: DrawnValue) {
    guard case .id(let id) = drawn else { return nil }
    self = id
  }

  var drawn: DrawnValue { .id(self) }
}

extension Date: Drawable {
  init?(drawn: DrawnValue) {
    guard case .date(let date) = drawn else { return nil }
    self = date
  }

  var drawn: DrawnValue { .date(self) }
}

extension UInt64: Drawable {
  init?(drawn: DrawnValue) {
    guard case .number(let number) = drawn else { return nil }
    self = number
  }

  var drawn: DrawnValue { .number(self) }
}
