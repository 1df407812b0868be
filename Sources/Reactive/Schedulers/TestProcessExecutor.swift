import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs each task on its own thread, in a process that runs tests.
///
/// The task pool has one thread per core and adds none when threads are blocked. Swift Testing
/// calls synchronous tests on these threads. If as many tests as there are cores block, in
/// `toBlocking` or on a semaphore, they wait forever for tasks that cannot run.
///
/// A process in which Swift Testing or XCTest is loaded counts as one that runs tests. That
/// includes a program that links ReactiveTesting.
package final class TestProcessExecutor: TaskExecutor {
  /// False for measurements, which must run tasks like a program without tests.
  @TaskLocal package static var isEnabled = true

  private static let shared = TestProcessExecutor()

  private static let runsTests: Bool = {
    // Looked up and not linked, so that a program without tests does not need these libraries.
    let program = dlopen(nil, RTLD_NOW)
    return dlsym(program, "swt_abiv0_getEntryPoint") != nil
      || dlsym(program, "$s6XCTest0A4CaseCMa") != nil
  }()

  /// The executor for a new task: that of the host whose code runs here, its own thread in a process that
  /// runs tests, otherwise nil.
  ///
  /// Nil stands for the task pool.
  package static var preference: (any TaskExecutor)? {
    HostSystem.current?.taskExecutor ?? (runsTests && isEnabled ? shared : nil)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A serial queue gets a thread at once, even while others are blocked: Dispatch makes up to
    // 255. A concurrent queue shares a limited number of threads with the task pool.
    DispatchQueue(label: "rx.test_process_executor").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
