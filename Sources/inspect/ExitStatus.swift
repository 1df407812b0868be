/// The exit statuses of the program.
enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let notConnected: Int32 = 2
  static let wrongArguments: Int32 = 64
}
