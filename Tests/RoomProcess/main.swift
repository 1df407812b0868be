// A server with a room, and clients of it, for tests with several processes. Reads commands, a line each, and
// answers each with a line:
//
//   connected            waits until the backplane is connected
//   disconnected         waits until it is not
//   presence N           waits until N sockets of all processes are subscribed
//   publish NAME N       publishes the messages NAME 0 ... NAME N-1
//   expect NAME N        waits until each client has received exactly these, in order

import Foundation
import SocketsRedis

#if canImport(Glibc)
import Glibc
#endif

/// The answer to a command that waited for too long.
struct Late: Error {}

func answer(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

do {
  let room = try RoomProcess(CommandLine.arguments)
  try room.connectClients()
  answer("ready")
  while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    let count = words.last.flatMap { Int($0) } ?? 0
    do {
      switch words[0] {
      case "connected": try room.wait { $0.isConnected }
      case "disconnected": try room.wait { !$0.isConnected }
      case "presence": try room.wait { $0.presence == count }
      case "publish": room.publish(words[1], count)
      case "expect": try room.expect(words[1], count)
      default: answer("unknown: \(line)")
      }
      answer(line)
    } catch {
      answer("late: \(line), \(room.summary(words.count > 1 ? words[1] : ""))")
    }
  }
} catch {
  answer("failed: \(error)")
  exit(1)
}
