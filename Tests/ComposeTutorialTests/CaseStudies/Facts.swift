import Compose

/// Facts about numbers, a dependency of several case studies.
struct Facts: Sendable {
  var about: @Sendable (_ number: Int) async throws -> String
}

extension Facts {
  struct Offline: Error {}

  /// Answers after a second.
  static let slow = Facts { number in
    try await EffectContext.sleep(.seconds(1))
    return "\(number) is a number."
  }

  /// Fails after a second.
  static let offline = Facts { _ in
    try await EffectContext.sleep(.seconds(1))
    throw Offline()
  }
}
