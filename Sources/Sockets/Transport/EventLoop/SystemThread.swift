#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread for work that blocks in system calls.
struct SystemThread: @unchecked Sendable {
  private typealias Start = Ref<() -> Void>

  // An immutable handle; any thread may call pthread functions with it.
  private let handle: pthread_t

  /// Starts a thread that runs `body` and ends; join or detach it once.
  ///
  /// - Parameter name: name for debuggers and profilers; Linux keeps 15 bytes
  /// - Throws: `TransportError.system` when the system allows no more threads.
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
    let start = Unmanaged.passRetained(
      Start {
        #if canImport(Glibc)
        _ = csystem_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
        #else
        pthread_setname_np(name)
        #endif
        body()
      })
    #if canImport(Glibc)
    var thread = pthread_t()
    #else
    var thread: pthread_t?
    #endif
    let code = pthread_create(
      &thread, nil,
      { argument in
        // The parameter is optional on Linux only.
        let start: UnsafeMutableRawPointer? = argument
        if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().value() }
        return nil
      }, start.toOpaque())
    let created: pthread_t? = thread
    guard code == 0, let created else {
      start.release()
      throw .system(errno: code, operation: "pthread_create")
    }
    handle = created
  }

  func join() { pthread_join(handle, nil) }

  func detach() { pthread_detach(handle) }
}
