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

  private typealias GetNumber = @convention(thin) (UnownedJob) -> UInt64

  /// The address of a function or a variable of the runtime.
  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    dlsym(dlopen(nil, RTLD_NOW), name)
  }

  private static let getNumber = symbol("swift_task_getJobTaskId").map {
    unsafeBitCast($0, to: GetNumber.self)
  }

  /// The number of the job's task, which no other task of the process has; 0 for a job of an actor.
  static func taskNumber(of job: UnownedJob) -> UInt64 { getNumber?(job) ?? 0 }

  /// The address of the function in the variable, once it was set.
  private static let installed = Locked<UInt?>(nil)

  /// Sets the variable unless it is set; returns the problem when it cannot be.
  static func install() -> SimulationProblem? {
    guard let variable = symbol("swift_task_enqueueGlobal_hook") else {
      return .unsteered(host: nil, "this Swift runtime has no hook for the jobs of tasks")
    }
    return installed.withLock { installed in
      // As numbers, which are compared and never followed.
      if variable.load(as: UInt.self) == 0 {
        let enqueue: EnqueueHook = { job, original in
          // A task runs on the host that has started it, also when another one continues it.
          let tasks: (any TaskExecutor)? =
            SimulatedTasks.owner(of: job) ?? HostSystem.current?.taskExecutor
          guard let tasks else { return original(job) }
          tasks.enqueue(ExecutorJob(job))
        }
        let address = unsafeBitCast(enqueue, to: UInt.self)
        variable.storeBytes(of: address, as: UInt.self)
        installed = address
      }
      if variable.load(as: UInt.self) == installed { return nil }
      return .unsteered(
        host: nil,
        "another tool has taken the runtime's hook for the jobs of tasks; run the simulation without it"
      )
    }
  }
}
