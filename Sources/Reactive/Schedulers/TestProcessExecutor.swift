import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs tasks on threads of their own, in a process that runs tests.
///
/// The task pool has one thread per core and adds none when they are blocked. Swift Testing calls
/// synchronous tests on them, so as many tests that block as there are cores, by `toBlocking` or a
/// semaphore, would wait forever for tasks that cannot run.
///
/// A process that has Swift Testing or XCTest loaded counts as one that runs tests, also a program that links
/// ReactiveTesting.
package final class TestProcessExecutor: TaskExecutor {
  /// False for measurements of what a program does that runs no tests.
  @TaskLocal package static var isEnabled = true

  private static let shared = TestProcessExecutor()

  private static let runsTests: Bool = {
    // Looked up, not linked: a program that runs no tests does without.
    let program = dlopen(nil, RTLD_NOW)
    return dlsym(program, "swt_abiv0_getEntryPoint") != nil
      || dlsym(program, "$s6XCTest0A4CaseCMa") != nil
  }()

  /// What a new task prefers: in a process that runs tests a thread of its own, otherwise nil, the task
  /// pool.
  package static var preference: (any TaskExecutor)? { runsTests && isEnabled ? shared : nil }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A serial queue gets a thread at once, also while others are blocked (Dispatch makes up to 255); a
    // concurrent one shares a limited number with the task pool.
    DispatchQueue(label: "rx.test_process_executor").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
