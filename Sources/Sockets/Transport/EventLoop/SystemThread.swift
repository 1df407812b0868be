#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread for work that blocks in system calls.
struct SystemThread: @unchecked Sendable {
  // An immutable handle; any thread may call pthread functions with it.
  private let handle: pthread_t

  /// Starts a thread that runs `body` and ends; join or detach it once.
  ///
  /// - Parameter name: name for debuggers and profilers; Linux keeps 15 bytes
  /// - Throws: `TransportError.system` when the system allows no more threads.
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    #if canImport(Glibc)
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runThread, start.toOpaque())
    let created: pthread_t? = thread
    #else
    var created: pthread_t?
    let code = pthread_create(&created, nil, runThread, start.toOpaque())
    #endif
    guard code == 0, let created else {
      start.release()
      throw .system(errno: code, operation: "pthread_create")
    }
    handle = created
  }

  func join() { pthread_join(handle, nil) }

  func detach() { pthread_detach(handle) }

  /// The identifier of the calling thread during its life; never 0.
  static var currentID: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
  }
}

private final class Start: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

// The parameter of a pthread function is optional on Linux only.
#if canImport(Glibc)
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  run(Unmanaged<Start>.fromOpaque(argument).takeRetainedValue())
  return nil
}
#else
private func runThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  run(Unmanaged<Start>.fromOpaque(argument).takeRetainedValue())
  return nil
}
#endif

private func run(_ start: Start) {
  #if canImport(Glibc)
  _ = csystem_name_thread(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
  #else
  pthread_setname_np(start.name)
  #endif
  start.body()
}
