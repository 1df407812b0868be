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
  /// The functions at an address, the innermost of those that were inlined first.
  private struct Functions {
    var frames: [SourceFrame] = []
    /// Whether the places of the frames were looked up.
    var isPlaced = false
  }

  private struct ResolvedAddresses {
    var functions: [UInt: Functions] = [:]
    var sites: [CallStack: CallSite?] = [:]
  }

  // The place of an address never changes, so each address is looked up once.
  private static let resolved = Locked(ResolvedAddresses())

  /// Returns the site of each of `callStacks`; nil where it is not known.
  static func of(_ callStacks: [CallStack]) -> [CallSite?] {
    var (missing, functions) = resolved.withLock { resolved in
      (Set(callStacks).filter { resolved.sites[$0] == nil }, resolved.functions)
    }
    // Without the lock, because the lookup takes milliseconds.
    let unnamed = Set(missing.flatMap(\.addresses)).filter { functions[$0] == nil }
    look(for: unnamed, withPlaces: false, &functions)
    // The place of an address takes a hundred times as long as its name: few are looked up.
    while true {
      let unplaced = Set(missing.compactMap { undecided(in: $0, functions) })
      if unplaced.isEmpty { break }
      look(for: unplaced, withPlaces: true, &functions)
    }
    return resolved.withLock { resolved in
      for (address, found) in functions where resolved.functions[address]?.isPlaced != true {
        resolved.functions[address] = found
      }
      for callStack in missing {
        let frames = callStack.addresses.flatMap { functions[$0]?.frames ?? [] }
        resolved.sites[callStack] = .some(CallSite(frames))
      }
      return callStacks.map { resolved.sites[$0] ?? nil }
    }
  }

  /// The address whose place decides the site of a call stack, if it was not looked up.
  private static func undecided(in callStack: CallStack, _ functions: [UInt: Functions]) -> UInt? {
    let all = callStack.addresses.flatMap { address -> [(UInt, isPlaced: Bool, SourceFrame)] in
      let found = functions[address] ?? Functions()
      return found.frames.map { (address, found.isPlaced, $0) }
    }
    guard let library = all.firstIndex(where: { $0.2.isLibrary }) else { return nil }
    let candidates =
      all[library...].filter { !$0.2.isLibrary } + all.reversed().filter { $0.2.isLibrary }
    for (address, isPlaced, frame) in candidates {
      if !isPlaced { return address }
      if frame.place != nil { return nil }
    }
    return nil
  }

  private static func look(
    for addresses: Set<UInt>, withPlaces: Bool, _ functions: inout [UInt: Functions]
  ) {
    if addresses.isEmpty { return }
    let found = frames(at: Array(addresses), withPlaces: withPlaces)
    for address in addresses {
      functions[address] = Functions(frames: found[address] ?? [], isPlaced: withPlaces)
    }
  }

  #if canImport(Runtime) && os(Linux)
  // The folder of this package's sources at compile time.
  fileprivate static let sources =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/") + "/"

  private static func frames(at addresses: [UInt], withPlaces: Bool) -> [UInt: [SourceFrame]] {
    var options: Backtrace.SymbolicationOptions = .useSymbolCache
    if withPlaces { options.insert(.showSourceLocations) }
    #if !DEBUG
    // The optimizer inlines functions; to find them takes as long as to find the places.
    options.insert(.showInlineFrames)
    #endif
    let symbolicated = backtrace(of: addresses)?.symbolicated(
      with: ImageMap.capture(), options: options)
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
  private static func frames(at addresses: [UInt], withPlaces: Bool) -> [UInt: [SourceFrame]] {
    [:]
  }
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
  private static let modules = [
    "Reactive", "Compose", "Sockets", "ActionCable", "Inspector", "ReactiveTesting",
    "ExploredReactive",
  ]

  /// Whether a function belongs to this package, by its mangled name.
  ///
  /// A program's extension of a type of this package begins with the name of this package's module, and
  /// then has that of the program: `$s8Reactive14ObservableTypeP6SearchE`.
  static func isLibrary(_ name: String) -> Bool {
    var rest = Substring(name)
    guard rest.hasPrefix("$s") else { return false }
    rest.removeFirst(2)
    guard let module = rest.popIdentifier(), modules.contains(module) else { return false }
    guard rest.popIdentifier() != nil else { return true }
    rest = rest.drop(while: \.isUppercase)
    guard let extending = rest.popIdentifier(), rest.first == "E" else { return true }
    return modules.contains(extending)
  }
}

extension Substring {
  /// Removes and returns an identifier of a mangled name, `8Reactive`; nil when there is none.
  fileprivate mutating func popIdentifier() -> String? {
    let digits = prefix(while: \.isNumber)
    guard let count = Int(digits), count > 0 else { return nil }
    let name = dropFirst(digits.count).prefix(count)
    self = dropFirst(digits.count + count)
    return String(name)
  }
}
#endif
