/// An observer that passes elements to a target on the main actor, and ignores a completion.
///
/// The target is held weakly: once it is released, elements are dropped. The scheduler, by default
/// the main queue, passes the elements on: at once on the main queue, unless earlier elements still
/// wait there. Where another scheduler runs off the main thread, the element goes to the main queue
/// from there. Virtual time is the exception, because it stands for the main queue in tests. An
/// error goes to `Hooks.defaultErrorHandler`: a binder must not fail. An element that is scheduled
/// when the subscription is disposed of is still passed on, as in RxSwift.
public struct Binder<Value>: ObserverType {
  /// The type of the elements.
  public typealias Element = Value

  private let receive: (Event<Value>) -> Void

  /// Creates a binder that calls `binding` with `target` and each element.
  @preconcurrency public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
    binding: @escaping @MainActor (Target, Value) -> Void
  ) {
    let binding = assumingMainActor(binding)
    // Nil when `scheduler` itself delivers on the main queue.
    let hop = scheduler.needsNoHop ? nil : MainScheduler()
    receive = { [weak target] event in
      switch event {
      case .next(let value):
        // Disposing of the subscription does not cancel this, as in RxSwift.
        _ = scheduler.schedule(value) { [weak target] value in
          if let hop {
            hop.run(value) { value in if let target { binding(target, value) } }
          } else if let target {
            binding(target, value)
          }
          return Disposables.create()
        }
      case .error(let error): Hooks.report(error)
      case .completed: break
      }
    }
  }

  /// Receives an event: passes an element to the target, and reports an error.
  public func on(_ event: Event<Value>) { receive(event) }
}

/// A scheduler that replaces the main queue in tests, on any thread.
///
/// A protocol, because `VirtualTimeScheduler` is generic.
package protocol MainSchedulerSubstitute {}

extension VirtualTimeScheduler: MainSchedulerSubstitute {}

extension ImmediateSchedulerType {
  /// True for `MainScheduler` and virtual time; work of others hops to the main queue.
  var needsNoHop: Bool { self is MainScheduler || self is any MainSchedulerSubstitute }
}

/// Returns `body` without its isolation, for callers that call it on the main thread only.
func assumingMainActor<First, Second>(_ body: @escaping @MainActor (First, Second) -> Void) -> (
  First, Second
) -> Void {
  // The isolation is not part of a function's representation. The hop of the binder or the scheduler
  // of the driver ensures the thread; in virtual time it is the thread of the test.
  unsafeBitCast(body, to: ((First, Second) -> Void).self)
}

/// Returns `body` without its isolation, for callers that call it on the main thread only.
func assumingMainActor<Value>(_ body: @escaping @MainActor (Value) -> Void) -> (Value) -> Void {
  // The isolation is not part of a function's representation. The hop of the binder or the scheduler
  // of the driver ensures the thread; in virtual time it is the thread of the test.
  unsafeBitCast(body, to: ((Value) -> Void).self)
}
