import Synchronization

/// Switches the tracing of subscriptions on; ``live`` lists them with the places that made them.
///
/// ```swift
/// Streams.isTraced = true  // before the observables are made
/// ...
/// print(Streams.description)
/// // 7 subscribe — Search.swift:44, for 12.1 s, 3 elements, the last 0.2 s ago
/// //   8 map — Search.swift:43, for 12.1 s, 3 elements, the last 0.2 s ago
/// //     9 PublishSubject — Search.swift:12, for 12.1 s, 5 elements, the last 0.2 s ago
/// ```
///
/// Tracing works in debug builds, and in release builds with the package's trait `Tracing`. Without
/// the trait the optimizer merges the stages of a chain, and nothing is listed. <doc:Tracing>
/// describes the list, the cost, and the information available on each platform.
public enum Streams {
  // The full name, because test builds replace `Atomic` by a type that controls the order of
  // accesses.
  @usableFromInline static let tracing = Synchronization.Atomic<Bool>(false)

  /// Whether new observables and subscriptions are traced; false by default.
  ///
  /// While it is false, nothing is recorded. Subscriptions traced before remain in ``live`` until
  /// they end.
  @inlinable public static var isTraced: Bool {
    get { tracing.load(ordering: .relaxed) }
    set { tracing.store(newValue, ordering: .relaxed) }
  }

  /// The operators that the current thread's error passed, beginning with the one that failed.
  ///
  /// Empty unless a traced subscription is delivering an error.
  static var failedChain: [String] {
    guard let failed = TracedStream.failing.pointer else { return [] }
    return Unmanaged<StreamRecord>.fromOpaque(failed).takeUnretainedValue().chain
  }
}
