import Compose
import Foundation

extension UUID {
  /// The UUID that `Dependencies.uuid` returns in a test when it is called for this time, counted
  /// from 1: `.counted(1)` is 00000000-0000-0000-0000-000000000001.
  public static func counted(_ count: UInt64) -> UUID { UUID(count: count) }
}
