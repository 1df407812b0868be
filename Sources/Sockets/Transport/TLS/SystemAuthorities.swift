#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The place of the certificates of the authorities that a system trusts.
enum SystemAuthorities: Equatable {
  /// The place where OpenSSL looks by default.
  case known
  /// Only these: one file with all certificates, and directories, separated by colons.
  case found(file: String?, directory: String?)
  case missing(searched: [String])

  private static let files = [
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  // openSUSE
    "/etc/ssl/cert.pem",  // Alpine
  ]
  private static let directories = ["/etc/ssl/certs", "/etc/pki/tls/certs"]

  /// - Parameters:
  ///   - file: default of the loaded OpenSSL, which another distribution may have built
  ///   - directory: default of the loaded OpenSSL
  ///   - environment: `SSL_CERT_FILE` and `SSL_CERT_DIR`: if one is set, only these count. OpenSSL
  ///     itself would still trust the default place of the other.
  ///   - hasContents: whether a path is a readable file or a directory that is not empty
  static func find(
    file: String,
    directory: String,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    hasContents: (String) -> Bool = fileSystemHasContents
  ) -> SystemAuthorities {
    func places(_ directories: String?) -> [String] {
      directories?.split(separator: ":").map(String.init) ?? []
    }
    let (set, listed) = (environment["SSL_CERT_FILE"], environment["SSL_CERT_DIR"])
    if set != nil || listed != nil {
      let directories = places(listed).filter(hasContents).joined(separator: ":")
      let file = set.flatMap { hasContents($0) ? $0 : nil }
      guard file != nil || !directories.isEmpty else {
        return .missing(searched: (set.map { [$0] } ?? []) + places(listed))
      }
      return .found(file: file, directory: directories.isEmpty ? nil : directories)
    }
    let given = [file] + places(directory)
    if given.contains(where: hasContents) { return .known }
    let foundFile = files.first(where: hasContents)
    let foundDirectory = directories.first(where: hasContents)
    guard foundFile != nil || foundDirectory != nil else {
      return .missing(searched: given + files + directories)
    }
    return .found(file: foundFile, directory: foundDirectory)
  }
}

private func fileSystemHasContents(_ path: String) -> Bool {
  let files = FileManager.default
  if let contents = try? files.contentsOfDirectory(atPath: path) { return !contents.isEmpty }
  return files.isReadableFile(atPath: path)
}
