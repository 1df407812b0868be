#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import Synchronization

/// Replaces files as a whole, on the disk.
enum DurableFile {
  private static let saveCount = Atomic(0)

  /// Writes `data` to another file, flushes that to the disk and renames it to `location`.
  ///
  /// When this throws, the file at `location` has its old content.
  static func replace(
    _ location: FileLocation, with data: Data, in files: any FileSystem
  ) throws(SystemCallError) {
    let number = saveCount.wrappingAdd(1, ordering: .relaxed).newValue
    let temporary = location.sibling(
      "\(savePrefix(of: location))\(files.programID).\(number)\(saveSuffix)")
    let file = try files.create(temporary, like: location.path)
    do throws(SystemCallError) {
      try file.write(data)
      try file.flush()
      try files.rename(temporary, to: location.path)
    } catch {
      files.remove(temporary)
      throw error
    }
    files.flushNames(of: location.directory)
  }

  /// Removes the files that saves of other processes have left in the directory, by a crash.
  ///
  /// A save that another process is just making fails.
  static func removeUnfinishedSaves(of location: FileLocation, in files: any FileSystem) {
    let prefix = savePrefix(of: location)
    for name in files.names(in: location.directory)
    where name.hasPrefix(prefix) && name.hasSuffix(saveSuffix) {
      if !name.hasPrefix(prefix + files.programID) { files.remove(location.sibling(name)) }
    }
  }

  private static let saveSuffix = ".saving"

  /// The beginning of the names of the files that are written for `location`.
  ///
  /// The file's own name may be as long as the system allows, so that they have its hash: FNV-1a,
  /// which is the same in each process.
  private static func savePrefix(of location: FileLocation) -> String {
    let hash = location.name.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 1_099_511_628_211
    }
    return ".\(String(hash, radix: 16))."
  }
}
