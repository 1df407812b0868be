import Compose
import Foundation
import TestSupport
import Testing

@Suite("FileStorage", .workerPool)
final class FileStorageTests {
  struct Settings: Codable, Equatable { var name = "default" }
  struct OldSettings: Codable { var title: String }
  struct NotFound: Error {}

  let directory: URL
  let url: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "storage-\(UUID())")
    url = directory.appending(path: "settings.json")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  func write(_ text: String) throws { try Data(text.utf8).write(to: url) }

  func read() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

  @Test func `a file that does not exist is loaded as nothing, and created by a save`() throws {
    do {
      let storage = FileStorage<Settings>(url)
      #expect(try storage.load() == nil)
      try storage.save(Settings(name: "ann"))
    }
    #expect(try FileStorage<Settings>(url).load() == Settings(name: "ann"))
    #expect(try files == ["settings.json"])
    #expect(
      try read() == #"{"version":1,"value":{"name":"ann"}}"#
        || read() == #"{"value":{"name":"ann"},"version":1}"#)
  }

  @Test func `a shared value is kept in a file`() throws {
    do {
      let shared = SharedValue(Settings(), keptIn: FileStorage(url))
      shared.update(by: "test") { $0.name = "ann" }
      try shared.flush()
    }
    #expect(SharedValue(Settings(), keptIn: FileStorage(url)).value.name == "ann")
  }

  @Test(arguments: [
    "", "{", "[]", #"{"version":1}"#, #"{"version":1,"value":{"name":7}}"#, "\u{0}",
  ])
  func `a corrupt file is renamed, and its content remains`(text: String) throws {
    try write(text)
    let storage = FileStorage<Settings>(url)
    let error = #expect(throws: FileStorageError.self) { try storage.load() }
    guard case .corrupt(_, let copy, _) = error else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(copy == url.path + ".corrupt")
    #expect(try String(decoding: Data(contentsOf: URL(filePath: copy)), as: UTF8.self) == text)
    try storage.save(Settings(name: "new"))
    #expect(try files == ["settings.json", "settings.json.corrupt"])
    try write(text)
    #expect(throws: FileStorageError.self) { try storage.load() }
    #expect(try files == ["settings.json.corrupt", "settings.json.corrupt2"])
  }

  @Test func `an older version is migrated, and replaced by the next save`() throws {
    try write(#"{"version":1,"value":{"title":"old"}}"#)
    do {
      let storage = FileStorage<Settings>(url, version: 2) { old in
        #expect(old.version == 1)
        return Settings(name: try old.decode(OldSettings.self).title)
      }
      #expect(try storage.load() == Settings(name: "old"))
      #expect(try read().contains("title"))
      try storage.save(Settings(name: "new"))
    }
    #expect(try FileStorage<Settings>(url, version: 2).load() == Settings(name: "new"))
  }

  @Test func `an older version without a migration is decoded as the value`() throws {
    try write(#"{"version":1,"value":{"name":"old"}}"#)
    #expect(try FileStorage<Settings>(url, version: 3).load() == Settings(name: "old"))
  }

  @Test func `a newer version is neither read nor replaced`() throws {
    let text = #"{"version":9,"value":{"other":1}}"#
    try write(text)
    let storage = FileStorage<Settings>(url, version: 2)
    let error = FileStorageError.newerVersion(path: url.path, found: 9, supported: 2)
    #expect(throws: error) { try storage.load() }
    #expect(throws: error) { try storage.save(Settings()) }
    #expect(try read() == text)
  }

  @Test func `a file that cannot be migrated stays`() throws {
    let text = #"{"version":1,"value":{"title":"old"}}"#
    try write(text)
    let storage = FileStorage<Settings>(url, version: 2) { _ in throw NotFound() }
    let error = FileStorageError.notMigrated(path: url.path, version: 1, reason: "NotFound()")
    #expect(throws: error) { try storage.load() }
    #expect(throws: error) { try storage.save(Settings()) }
    #expect(try read() == text)
  }

  @Test func `a path that cannot be read is not replaced`() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let storage = FileStorage<Settings>(url)
    let error = #expect(throws: FileStorageError.self) { try storage.load() }
    guard case .unreadable = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(throws: error!) { try storage.save(Settings()) }
    #expect(try files == ["settings.json"])
  }

  @Test func `a save into a directory that does not exist fails, and a later one succeeds`() throws
  {
    let url = directory.appending(path: "new/settings.json")
    do {
      let storage = FileStorage<Settings>(url)
      #expect(try storage.load() == nil)
      let error = #expect(throws: FileStorageError.self) { try storage.save(Settings()) }
      guard case .unwritable = error else { return #expect(Bool(false), "\(error as Any)") }
      try FileManager.default.createDirectory(
        at: directory.appending(path: "new"), withIntermediateDirectories: true)
      try storage.save(Settings(name: "ann"))
    }
    #expect(try FileStorage<Settings>(url).load() == Settings(name: "ann"))
  }

  @Test func `a save through a link writes the file that it names`() throws {
    try write(#"{"version":1,"value":{"name":"old"}}"#)
    let link = directory.appending(path: "link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    do {
      let storage = FileStorage<Settings>(link)
      #expect(try storage.load() == Settings(name: "old"))
      try storage.save(Settings(name: "new"))
    }
    #expect(try FileStorage<Settings>(url).load() == Settings(name: "new"))
    #expect(try files == ["link.json", "settings.json"])
  }

  @Test func `a file has one storage at a time`() throws {
    let error = FileStorageError.inUse(path: url.path)
    var settings = SharedValue(Settings(), keptIn: FileStorage(url))
    settings.update(by: "test") { $0.name = "ann" }
    let other = FileStorage<Settings>(url)
    #expect(throws: error) { try other.load() }
    #expect(throws: error) { try other.save(Settings()) }
    settings = SharedValue(Settings())
    #expect(settings.value.name == "default")
    #expect(try FileStorage<Settings>(url).load() == Settings(name: "ann"))
  }

  @Test func `a file that does not exist has one storage, also through a linked directory`() throws
  {
    let linked = directory.appending(path: "linked")
    try FileManager.default.createSymbolicLink(at: linked, withDestinationURL: directory)
    let first = FileStorage<Settings>(url)
    #expect(try first.load() == nil)
    let second = FileStorage<Settings>(linked.appending(path: "settings.json"))
    #expect(throws: FileStorageError.inUse(path: url.path)) { try second.load() }
    withExtendedLifetime(first) {}
  }

  @Test func `a link to a file that does not exist remains`() throws {
    let link = directory.appending(path: "link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let storage = FileStorage<Settings>(link)
    #expect(try storage.load() == nil)
    try storage.save(Settings(name: "ann"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
    #expect(try read().contains("ann"))
    #expect(try files == ["link.json", "settings.json"])
  }

  @Test func `a second value that is kept in one storage is reported, and replaces nothing`() throws
  {
    let problems = EventRecorder<String>()
    let storage = FileStorage<Settings>(url)
    let first = SharedValue(Settings(), keptIn: storage)
    let second = SharedValue(
      Settings(), keptIn: storage, onFailure: { problems.append("\($0)") })
    let error = FileStorageError.inUse(path: url.path)
    #expect(problems.events == ["\(error)"])
    first.update(by: "test") { $0.name = "ann" }
    second.update(by: "test") { $0.name = "bob" }
    try first.flush()
    #expect(throws: error) { try second.flush() }
    #expect(try read().contains("ann"))
    first.update(by: "test") { $0.name = "eve" }
    try first.flush()
    #expect(try read().contains("eve"))
  }

  @Test func `a file is loaded when the other storage has released it`() throws {
    var first = SharedValue(Settings(), keptIn: FileStorage(url))
    first.update(by: "test") { $0.name = "ann" }
    let second = SharedValue(Settings(), keptIn: FileStorage(url), onFailure: { _ in })
    second.update(by: "test") { $0.name = "bob" }
    #expect(throws: FileStorageError.self) { try second.flush() }
    first = SharedValue(Settings())
    try second.flush()
    #expect(second.value.name == "ann" && first.value.name == "default")
  }

  @Test func `the value of a corrupt file is saved beside it`() throws {
    try write("{")
    let settings = SharedValue(Settings(), keptIn: FileStorage(url), onFailure: { _ in })
    settings.update(by: "test") { $0.name = "ann" }
    try settings.flush()
    #expect(try files == ["settings.json", "settings.json.corrupt"])
    #expect(try read().contains("ann"))
  }

  @Test func `a file with the longest name is saved`() throws {
    let url = directory.appending(path: String(repeating: "n", count: 255))
    try FileStorage<Settings>(url).save(Settings(name: "ann"))
    #expect(try FileStorage<Settings>(url).load() == Settings(name: "ann"))
    #expect(try files.count == 1)
  }

  @Test func `what a crash has left of a save is removed when the file is used again`() throws {
    let name = ".\(Self.hash("settings.json")).\(UUID()).1.saving"
    let others = [".1.saving", "settings.json.saving", ".\(Self.hash("other")).\(UUID()).1.saving"]
    for name in others + [name] { try Data().write(to: directory.appending(path: name)) }
    let storage = FileStorage<Settings>(url)
    #expect(try storage.load() == nil)
    #expect(try files == others.sorted())
    withExtendedLifetime(storage) {}
  }

  /// FNV-1a.
  static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }

  @Test func `a file keeps its permissions, and a new one is its owner's`() throws {
    func permissions() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    let storage = FileStorage<Settings>(url)
    try storage.save(Settings())
    #expect(try permissions() == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
    try storage.save(Settings(name: "ann"))
    #expect(try permissions() == 0o640)
  }

  @Test func `a value that cannot be encoded is named, and the file remains`() throws {
    let storage = FileStorage<Double>(url)
    try storage.save(1)
    let text = try read()
    let error = #expect(throws: FileStorageError.self) { try storage.save(.nan) }
    guard case .notEncoded = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(try read() == text)
    #expect(try files == ["settings.json"])
  }

  @Test func `saves of many threads leave a whole file`() async throws {
    let url = url
    let storage = FileStorage<[Int]>(url)
    try await withThrowingTaskGroup { group in
      for thread in 0..<4 {
        group.addTask {
          for save in 0..<25 { try storage.save(Array(repeating: thread, count: save)) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try storage.load() != nil)
    #expect(try files == ["settings.json"])
  }

  @Test func `a released value has released its file`() throws {
    for number in 1...20 {
      let settings = SharedValue(Settings(), keptIn: FileStorage(url), saveDelay: .zero)
      #expect(settings.value.name == (number == 1 ? "default" : "\(number - 1)"))
      settings.update(by: "test") { $0.name = "\(number)" }
    }
  }

  @Test func `each error says what to do`() {
    let errors: [FileStorageError] = [
      .corrupt(path: "/a", movedTo: "/b", reason: "r"),
      .newerVersion(path: "/a", found: 2, supported: 1),
      .inUse(path: "/a"), .notEncoded(path: "/a", reason: "r"),
      .notMigrated(path: "/a", version: 1, reason: "r"), .unreadable(path: "/a", reason: "r"),
      .unwritable(path: "/a", reason: "r"),
    ]
    for error in errors { #expect("\(error)".contains("/a") && "\(error)".hasSuffix(".")) }
  }
}
