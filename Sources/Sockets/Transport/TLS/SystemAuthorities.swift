#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a system keeps the certificates of the authorities that it trusts.
enum SystemAuthorities: Equatable {
  /// Where OpenSSL looks by itself.
  case known
  /// These and no others: a file with all, directories (between colons) with one file each.
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
  ///   - file: Where this OpenSSL was built to look; on another distribution, maybe.
  ///   - directory: The same.
  ///   - environment: `SSL_CERT_FILE` and `SSL_CERT_DIR`. Where one of them is set, nothing else counts;
  ///     OpenSSL itself would go on trusting what is in the other's usual place.
  ///   - hasContents: Whether a path is a file or a directory with something in it.
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
