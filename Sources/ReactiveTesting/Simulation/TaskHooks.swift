#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Passes the jobs that the code of a host gives to the runtime's global executor to the host.
///
/// The runtime has a variable for the function that enqueues jobs, which replaces it. It belongs to the
/// process: jobs of code that runs on no host are passed on.
enum TaskHooks {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Sets the variable, once in a process; false when the runtime does not have it.
  static let areInstalled: Bool = {
    guard let variable = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    let enqueue: EnqueueHook = { job, original in
      guard let host = HostSystem.current else { return original(job) }
      host.taskExecutor.enqueue(ExecutorJob(job))
    }
    variable.assumingMemoryBound(to: EnqueueHook?.self).pointee = enqueue
    return true
  }()
}
