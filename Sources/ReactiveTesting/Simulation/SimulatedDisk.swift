import Foundation

/// The disk of a simulated machine: it keeps what was flushed, and of the rest what chance leaves.
///
/// Its files outlive the programs. When the machine loses its power, each file keeps a part of what was not
/// flushed, and of the changes of names since their directory was flushed the first ones remain.
final class SimulatedDisk {
  /// The content of a file, whatever its names.
  final class File {
    fileprivate(set) var content = Data()
    fileprivate var flushedCount = 0
  }

  private enum Change {
    case link(String, File)
    case unlink(String)

    var path: String {
      switch self {
      case .link(let path, _), .unlink(let path): path
      }
    }
  }

  /// The files as programs see them.
  private(set) var files: [String: File] = [:]
  private var flushedFiles: [String: File] = [:]
  /// The changes of names that are not flushed, the oldest first.
  private var changes: [Change] = []
  /// How many faults keep anything more from being written, and how many let each flush fail, after which a file
  /// may have any part of what was written.
  var (fullCount, failingCount) = (0, 0)
  private var isFull: Bool { fullCount > 0 }
  private var isFailing: Bool { failingCount > 0 }

  /// Ends all faults.
  func mend() { (fullCount, failingCount) = (0, 0) }

  func create(_ path: String) throws(SystemCallError) -> File {
    if files[path] != nil { throw SystemCallError("open", "File exists") }
    if isFull { throw SystemCallError("open", "No space left on device") }
    let file = File()
    change(.link(path, file))
    return file
  }

  func write(_ data: Data, to file: File) throws(SystemCallError) {
    if isFull {
      // As much as there is room for.
      file.content += data.prefix(data.count / 2)
      throw SystemCallError("write", "No space left on device")
    }
    file.content += data
  }

  func flush(_ file: File) throws(SystemCallError) {
    if isFailing { throw SystemCallError("fsync", "Input/output error") }
    file.flushedCount = file.content.count
  }

  func rename(_ path: String, to newPath: String) throws(SystemCallError) {
    guard let file = files[path] else {
      throw SystemCallError("rename", "No such file or directory")
    }
    change(.link(newPath, file))
    change(.unlink(path))
  }

  func remove(_ path: String) { if files[path] != nil { change(.unlink(path)) } }

  /// Flushes the changes of names in a directory.
  func flushNames(in directory: String) {
    if isFailing { return }
    changes.removeAll { change in
      guard change.path.isName(in: directory) else { return false }
      Self.apply(change, to: &flushedFiles)
      return true
    }
  }

  private func change(_ change: Change) {
    changes.append(change)
    Self.apply(change, to: &files)
  }

  private static func apply(_ change: Change, to files: inout [String: File]) {
    switch change {
    case .link(let path, let file): files[path] = file
    case .unlink(let path): files[path] = nil
    }
  }

  /// Keeps what is on the disk when the power fails.
  func losePower(_ random: inout SimulationRandom) {
    let kept = random.index(below: changes.count + 1)
    files = flushedFiles
    for change in changes.prefix(kept) { Self.apply(change, to: &files) }
    (flushedFiles, changes) = (files, [])
    for (_, file) in files.sorted(by: { $0.key < $1.key }) {
      let unflushed = file.content.count - file.flushedCount
      guard unflushed > 0 else { continue }
      file.content = file.content.prefix(file.flushedCount + random.index(below: unflushed + 1))
      file.flushedCount = file.content.count
    }
  }
}

/// The disk as a program of the machine uses it.
final class SimulatedFiles: FileSystem, @unchecked Sendable {
  // The disk is used on the thread of the simulation alone; other threads are reported.
  private let reference: ProcessReference
  private let disk: SimulatedDisk
  let programID: String
  private let used = Locked<Set<FileLocation>>([])

  init(_ process: SimulatedProcess, _ reference: ProcessReference) {
    (self.reference, disk) = (reference, process.machine.disk)
    programID = "\(process.world.nextNumber())"
  }

  /// Whether the program runs: what it does while it is released after a crash does not reach the disk.
  private var isRunning: Bool {
    guard let process = reference.current, process.isAlive else { return false }
    return process.isOnThread(for: "a file is used")
  }

  private func check(_ call: String) throws(SystemCallError) {
    if !isRunning { throw SystemCallError(call, "The program has ended") }
  }

  func own(_ location: FileLocation) -> Bool { used.withLock { $0.insert(location).inserted } }

  func disown(_ location: FileLocation) { used.withLock { _ = $0.remove(location) } }

  func create(_ path: String, like model: String) throws(SystemCallError) -> any FileToWrite {
    try check("open")
    return OpenFile(self, try disk.create(path))
  }

  func rename(_ path: String, to newPath: String) throws(SystemCallError) {
    try check("rename")
    try disk.rename(path, to: newPath)
  }

  func flushNames(of directory: String) {
    if isRunning { disk.flushNames(in: directory) }
  }

  func remove(_ path: String) { if isRunning { disk.remove(path) } }

  func names(in directory: String) -> [String] {
    guard isRunning else { return [] }
    return disk.files.keys.filter { $0.isName(in: directory) }
      .map { String($0[$0.index(after: $0.lastIndex(of: "/") ?? $0.startIndex)...]) }.sorted()
  }

  func exists(_ path: String) -> Bool { isRunning && disk.files[path] != nil }

  func contents(of path: String) throws -> Data? {
    try check("read")
    return disk.files[path]?.content
  }

  func target(ofLink path: String) -> String? { nil }

  private struct OpenFile: FileToWrite {
    let files: SimulatedFiles
    let file: SimulatedDisk.File

    init(_ files: SimulatedFiles, _ file: SimulatedDisk.File) {
      (self.files, self.file) = (files, file)
    }

    func write(_ data: Data) throws(SystemCallError) {
      try files.check("write")
      try files.disk.write(data, to: file)
    }

    func flush() throws(SystemCallError) {
      try files.check("fsync")
      try files.disk.flush(file)
    }
  }
}

extension String {
  /// Whether this path is that of a file in a directory, and not of one in a directory below.
  fileprivate func isName(in directory: String) -> Bool {
    let prefix = directory.hasSuffix("/") ? directory : directory + "/"
    return hasPrefix(prefix) && !dropFirst(prefix.count).contains("/")
  }
}
