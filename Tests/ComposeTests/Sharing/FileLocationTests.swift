import Foundation
import TestSupport
import Testing

@testable import Compose

@Suite("The location of a file", .workerPool)
final class FileLocationTests {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "location-\(UUID())")
    try FileManager.default.createDirectory(
      at: directory.appending(path: "real"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.appending(path: name).path, withDestinationPath: target)
  }

  func location(_ path: String) -> FileLocation { FileLocation(directory.appending(path: path)) }

  @Test func `all names of a file have one location, also when it does not exist`() throws {
    let file = location("real/file")
    #expect(file.path.hasSuffix("/real/file") && file.name == "file")
    #expect(file.directory == location("real").path)
    #expect(file.sibling("other") == location("real/other").path)
    try link("linked", to: directory.appending(path: "real").path)
    try link("relative", to: "./real/../linked")
    try link("name", to: "relative/file")
    for path in [
      "linked/file", "relative/file", "name", "real/./file", "real//file", "none/../real/file",
      "linked/../real/file",
    ] {
      #expect(location(path) == file, "\(path)")
    }
    #expect(location("real/other") != file)
  }

  @Test func `links in a circle have an end`() throws {
    try link("a", to: "b")
    try link("b", to: "a/c")
    #expect(location("a").path.hasPrefix(location("").path))
  }

  @Test func `the root has no name`() {
    #expect(FileLocation(URL(filePath: "/")).path == "/")
    #expect(FileLocation(URL(filePath: "/../..")).path == "/")
    #expect(FileLocation(URL(filePath: "/file")).directory == "/")
    #expect(FileLocation(URL(filePath: "/file")).sibling("other") == "/other")
  }

  @Test func `a relative path begins in the current directory`() {
    let current = FileLocation(URL(filePath: FileManager.default.currentDirectoryPath))
    #expect(FileLocation(URL(filePath: "file")).path == current.path + "/file")
    #expect(FileLocation(URL(fileURLWithPath: "file")).path == current.path + "/file")
  }
}
