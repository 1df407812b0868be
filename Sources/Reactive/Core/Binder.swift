/// An observer that hands elements to a target on the main actor, and never ends.
///
/// The target is held weakly: once it is released, nothing happens. An element that arrives off the
/// main thread is handed over by the scheduler, the main queue by default; on the main thread it is
/// handed over at once. What another scheduler runs off the main thread goes on to the main queue from there, but for
/// virtual time, which stands for it in tests. An error goes to `Hooks.defaultErrorHandler`: a binder must not fail.
public struct Binder<Value>: ObserverType {
  /// What its elements are.
  public typealias Element = Value

  private let receive: (Event<Value>) -> Void

  /// Calls `binding` with `target` and each element.
  @preconcurrency public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
    binding: @escaping @MainActor (Target, Value) -> Void
  ) {
    let binding = assumingMainActor(binding)
    let main = scheduler.isOnMain ? nil : MainScheduler()
    receive = { [weak target] event in
      switch event {
      case .next(let value):
        _ = scheduler.schedule(value) { [weak target] value in
          if let main {
            main.run(value) { value in if let target { binding(target, value) } }
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

  /// Hands over an element.
  public func on(_ event: Event<Value>) { receive(event) }
}

/// A scheduler that stands for the main queue in tests, on whatever thread these run.
protocol MainStandIn {}

extension VirtualTimeScheduler: MainStandIn {}

extension ImmediateSchedulerType {
  /// Whether what it runs is on the main queue, or on what stands for it.
  var isOnMain: Bool { self is MainScheduler || self is any MainStandIn }
}

/// The same closure, for those who call it on the main thread only.
func assumingMainActor<First, Second>(_ body: @escaping @MainActor (First, Second) -> Void) -> (
  First, Second
) -> Void {
  // The isolation is no part of a function's representation; the scheduler keeps its promise.
  unsafeBitCast(body, to: ((First, Second) -> Void).self)
}

/// The same closure, for those who call it on the main thread only.
func assumingMainActor<Value>(_ body: @escaping @MainActor (Value) -> Void) -> (Value) -> Void {
  // The isolation is no part of a function's representation; the scheduler keeps its promise.
  unsafeBitCast(body, to: ((Value) -> Void).self)
}
