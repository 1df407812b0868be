/// The text of `--help`.
enum Help {
  static let text = """
    Shows what a program with an Inspector does, in the terminal or to an assistant.

    usage: inspect URL [--follow] [--composer NAME] [--filter TEXT] [--kinds LIST] [--last N]
           inspect composers URL
           inspect state URL COMPOSER [--event N] [--path a.b] [--from N]
           inspect event URL EVENT
           inspect why URL EVENT
           inspect diff URL COMPOSER EVENT [EVENT]
           inspect effects URL [--running] [--composer NAME]
           inspect send URL COMPOSER JSON
           inspect template URL COMPOSER ACTION
           inspect sockets URL [--live]
           inspect servers URL
           inspect cut URL SOCKET
           inspect slow URL SOCKET MILLISECONDS
           inspect clocks URL
           inspect pause URL [CLOCK]
           inspect step URL [CLOCK] [--by SECONDS]
           inspect resume URL [CLOCK]
           inspect export URL COMPOSER [--from N] [--to N]
                          [--test [--name TEXT] [--make EXPRESSION]
                                  [--set PATH=JSON] [--expected FILE]]
           inspect import URL FILE
           inspect fork URL COMPOSER EVENT
           inspect end-fork URL COMPOSER
           inspect compare URL COMPOSER COMPOSER [--outside]
           inspect mcp URL

    URL is the address that the program prints, http://127.0.0.1:51234/SECRET/, or that of its
    socket, ws://127.0.0.1:51234/SECRET/socket. COMPOSER is a number or a name, SOCKET a number or a
    part of a name. EVENT is the number at the beginning of a line, with or without #. CLOCK is the
    number of a virtual clock, which a program with only one does not need.

      --follow         print new events until Ctrl-C or the program's end
      --composer NAME  only events of the composers or sockets with this name or number
      --filter TEXT    only events with this text in their action, source, name or changes
      --kinds LIST     only events of these kinds: step,started,ended,received,sent,socket;
                       step by default
      --last N         print the last N events; 20 by default
      --event N        the state after this event; the last one by default
      --path a.b       the part of the state at this path, as in lines: rows[id: 7].title
      --from N         of state: the children of the part from this one on, of which 100 are printed;
                       of export: the first event
      --to N           the last event
      --running        only effects that run
      --by SECONDS     the virtual time by which a paused clock may move; otherwise it may run up to
                       the next moment with due work
      --live           only sockets that have not ended
      --test           print a test in Swift that replays the steps, instead of JSON lines
      --name TEXT      the name of the test
      --make EXPRESSION  the expression that creates the composer in the test; App() for an App
      --set PATH=JSON  the right value of a part of the state after the last step, for a test that
                       fails until then; needs --to: rows[id: 7].isDone=true
      --expected FILE  JSON of the right state after the last step, for a test that fails until then
      --outside        of compare: only the steps from outside, and what they have changed, such as of
                       a fork, whose own effects send actions too
      --json           print one JSON object a line, as the protocol describes it

    send needs the JSON of an action, such as '{"toggle": {"id": 7}}'; composers prints the names of
    actions, and template the JSON of one, to edit.
    diff prints what has changed in the state from one event to another, the last one by default.
    slow delays both directions of an open connection until its end; 0 ends that.
    import shows JSON lines of export as a composer. fork creates a composer from an earlier state.
    mcp is a server of the Model Context Protocol over standard input and output.

    exit status: 0 success, 1 failure, 2 no connection, 64 wrong arguments
    """
}
