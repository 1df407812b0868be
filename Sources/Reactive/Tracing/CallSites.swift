#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Runtime) && os(Linux)
private import Runtime
#endif

/// Finds the places in the source code for return addresses.
enum CallSites {
  private struct ResolvedAddresses {
    var frames: [UInt: [SourceFrame]] = [:]
    var sites: [CallStack: CallSite?] = [:]
  }

  // The place of an address never changes, so each address is looked up once.
  private static let resolved = Locked(ResolvedAddresses())

  /// Returns the site of each of `callStacks`; nil where it is not known.
  static func of(_ callStacks: [CallStack]) -> [CallSite?] {
    let (missing, addresses) = resolved.withLock { resolved in
      let missing = Set(callStacks).filter { resolved.sites[$0] == nil }
      return (missing, Set(missing.flatMap(\.addresses)).filter { resolved.frames[$0] == nil })
    }
    // Without the lock, because the lookup takes milliseconds.
    let found = addresses.isEmpty ? [:] : frames(at: Array(addresses))
    return resolved.withLock { resolved in
      for address in addresses { resolved.frames[address] = found[address] ?? [] }
      for callStack in missing {
        let frames = callStack.addresses.flatMap { resolved.frames[$0] ?? [] }
        resolved.sites[callStack] = .some(CallSite(frames))
      }
      return callStacks.map { resolved.sites[$0] ?? nil }
    }
  }

  #if canImport(Runtime) && os(Linux)
  // The folder of this package's sources at compile time.
  fileprivate static let sources =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/") + "/"

  private static func frames(at addresses: [UInt]) -> [UInt: [SourceFrame]] {
    let symbolicated = backtrace(of: addresses)?.symbolicated(with: ImageMap.capture())
    var frames: [UInt: [SourceFrame]] = [:]
    for frame in symbolicated?.frames ?? [] {
      guard let symbol = frame.symbol, let address = UInt(frame.captured.originalProgramCounter)
      else { continue }
      frames[address, default: []].append(SourceFrame(symbol))
    }
    return frames
  }

  /// Returns a backtrace of `addresses`.
  ///
  /// `Backtrace.capture` follows frame pointers, which C functions need not keep. If one of them
  /// has another value in that register, it reads invalid memory. The unwinder therefore provides
  /// the addresses. They are decoded as a backtrace in the compact format of the Swift project: a
  /// header, then each return address in eight bytes.
  private static func backtrace(of addresses: [UInt]) -> Backtrace? {
    var bytes: [UInt8] = [0x02]
    for address in addresses {
      bytes.append(0x2f)
      withUnsafeBytes(of: UInt64(address).bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.append(0)
    let text = Data(bytes).base64EncodedString().replacing("=", with: "")
    #if arch(arm64)
    let architecture = "arm64"
    #else
    let architecture = "x86_64"
    #endif
    let fields = ["architecture": architecture, "backtrace": text]
    guard let encoded = try? JSONEncoder().encode(fields) else { return nil }
    return try? JSONDecoder().decode(Backtrace.self, from: encoded)
  }
  #else
  private static func frames(at addresses: [UInt]) -> [UInt: [SourceFrame]] { [:] }
  #endif
}

#if canImport(Runtime) && os(Linux)
extension SourceFrame {
  fileprivate init(_ symbol: SymbolicatedBacktrace.Symbol) {
    function = symbol.name
    let location = symbol.sourceLocation.flatMap {
      $0.path.hasPrefix("/") && $0.line > 0 ? $0 : nil
    }
    let isSwift = location?.path.hasSuffix("<compiler-generated>") == false
    place = location.flatMap {
      isSwift ? SourcePosition(path: $0.path, line: $0.line, column: $0.column) : nil
    }
    isLibrary = place?.path.hasPrefix(CallSites.sources) ?? CallSites.isLibrary(symbol.rawName)
  }
}

extension CallSites {
  /// Whether a function without a place belongs to this package, by its mangled name.
  fileprivate static func isLibrary(_ name: String) -> Bool {
    ["$s8Reactive", "$s7Compose", "$s7Sockets", "$s16ReactiveTesting", "$s16ExploredReactive"]
      .contains { name.hasPrefix($0) }
  }
}
#endif
