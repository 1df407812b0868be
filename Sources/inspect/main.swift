// The entry of the program: arguments in, exit status out. Read Commands/Command.swift first, then MCP/.

import Foundation
import Sockets

let arguments: Arguments
do {
  arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
} catch {
  Console.complain(error)
  exit(ExitStatus.wrongArguments)
}

switch arguments {
case .help: Console.print(Help.text)
case .mcp(let address):
  await MCPServer(program: ProgramLink(address)).serve(StandardInput.next, Console.print)
case .command(let command, let address, let isJSON):
  let output = Output(
    isColoured: Console.isColoured, isJSON: isJSON, columns: { Console.columns },
    write: Console.print, note: Console.note)
  do {
    try await command.run(on: .connect(to: address), output)
  } catch {
    Console.complain(error)
    exit((error as? InspectError)?.exitStatus ?? ExitStatus.failed)
  }
}
exit(ExitStatus.done)
