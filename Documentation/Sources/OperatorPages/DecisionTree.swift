extension Decision {
  /// The first question.
  package static let root = Decision(
    "What do you want to do?",
    [
      .ask("Make an observable", "What of?", makes),
      .ask("Send elements by code", "What does a new observer receive first?", sends),
      .ask("Change elements", "What becomes of an element?", changes),
      .ask(
        "Make an observable of each element", "What happens to the next one while one runs?",
        flattens),
      .ask("Let only some elements pass", "Which ones?", filters),
      .ask("Combine several sources", "How?", combines),
      .ask("Handle errors", "What follows an error?", recovers),
      .ask("Change the time or the thread", "What should change?", times),
      .ask("Share one run of the source", "Among whom?", shares),
      .ask("Receive elements", "Where?", receives),
      .ask("Promise something about the source", "What?", promises),
    ])

  private static let makes: [Answer] = [
    .ask(
      "Values that are there", "How many?",
      [
        .use("just", "One"), .use("of", "Some, written down"), .use("from", "Those of a sequence"),
        .use("from(optional:)", "One or none: an optional"),
        .use("range", "Integers that follow each other"),
        .use("generate", "Each one made from the previous one"),
        .use("repeatElement", "The same one again and again"),
      ]),
    .ask(
      "Nothing", "How does it end?",
      [
        .use("empty", "It completes at once"), .use("error", "It fails at once"),
        .use("never", "It never ends"),
      ]),
    .ask(
      "Code that runs for each observer", "Which code?",
      [
        .use("create", "Callbacks"), .use("create(work:)", "Async code"),
        .use("deferred", "A choice of the observable"),
        .use("using", "It opens something that must be closed"),
      ]),
    .use("AsyncSequence.asObservable", "An async sequence"),
    .ask(
      "Time", "When?",
      [.use("timer", "Once after a time"), .use("interval", "Again and again")]),
  ]

  private static let sends: [Answer] = [
    .ask(
      "Nothing: only what follows", "Can the source end?",
      [.use("PublishRelay", "No"), .use("PublishSubject", "Yes")]),
    .ask(
      "The current value", "Can the source end?",
      [.use("BehaviorRelay", "No"), .use("BehaviorSubject", "Yes")]),
    .ask(
      "The last elements", "Can the source end?",
      [.use("ReplayRelay", "No"), .use("ReplaySubject", "Yes")]),
    .use("AsyncSubject", "Only the last element, at the end"),
    .use("serialized", "I have a subject, and several threads send to it"),
  ]

  private static let changes: [Answer] = [
    .ask(
      "Another element", "Made from what?",
      [
        .use("map", "From this element only"), .use("compactMap", "The same, and nil is dropped"),
        .use("scan", "From this element and the previous result"),
        .use("scan(into:)", "The same, with a value that is changed in place"),
        .use("enumerated", "From this element and its number"),
        .use("withUnretained", "From this element and an object that is held weakly"),
        .use("decode", "From data, by a decoder"),
      ]),
    .ask(
      "One result of all elements, at the end", "Which one?",
      [.use("reduce", "An accumulated value"), .use("toArray", "An array")]),
    .ask(
      "Groups of elements", "Which ones?",
      [
        .use("buffer", "Arrays, by number or time"),
        .use("window", "Observables, by number or time"),
        .use("groupBy", "Observables, by a key"),
      ]),
    .use("materialize", "Events become elements"),
    .use("dematerialize", "Elements become events again"),
  ]

  private static let flattens: [Answer] = [
    .use("flatMap", "All run at the same time"),
    .use("flatMapLatest", "It replaces the one that runs"),
    .use("flatMapFirst", "Its element is dropped"),
    .use("concatMap", "It waits for its turn"),
    .use("concatMapEager", "It runs, and its elements wait for their turn"),
    .use("expand", "Its elements make observables too"),
    .ask(
      "My source is a `Single`", "What follows?",
      [.use("flatMapMaybe", "A `Maybe`"), .use("flatMapCompletable", "A `Completable`")]),
    .ask(
      "I have a source of observables already", "How do they run?",
      [
        .use("merge()", "All at the same time"),
        .use("merge(maxConcurrent:)", "A number of them at the same time"),
        .use("concat()", "One after the other"), .use("switchLatest", "Only the latest"),
      ]),
  ]

  private static let filters: [Answer] = [
    .ask(
      "Those with a property", "Which property?",
      [
        .use("filter", "A closure returns true"),
        .use("distinctUntilChanged", "They differ from the previous element"),
        .use("ignoreElements", "None: only the end passes"),
      ]),
    .ask(
      "The first ones", "Up to which?",
      [
        .use("take", "A number of them"), .use("first", "One, or nil"),
        .use("take(while:)", "Before a closure returns false"),
        .use("take(until:behavior:)", "Until a closure returns true"),
        .use("take(until:)", "Until another observable emits"),
        .use("take(for:)", "Those within a time"),
      ]),
    .ask(
      "The later ones", "From which on?",
      [
        .use("skip", "After a number of them"),
        .use("skip(while:)", "From the first one for which a closure returns false"),
        .use("skip(until:)", "After another observable has emitted"),
        .use("skip(_:scheduler:)", "After a time"),
      ]),
    .ask(
      "One or a few of them", "Which ones?",
      [
        .use("element(at:)", "The one with an index"),
        .use("single", "The only one; a second one is an error"), .use("takeLast", "The last ones"),
      ]),
    .ask(
      "Fewer of them in time", "How?",
      [
        .use("debounce", "One when the source pauses"),
        .use("throttle", "At most one within a time"),
        .use("sample", "The latest, when another observable emits"),
      ]),
    .ask(
      "There may be none", "What then?",
      [
        .use("ifEmpty(default:)", "An element"), .use("ifEmpty(switchTo:)", "Another observable"),
      ]),
  ]

  private static let combines: [Answer] = [
    .ask(
      "All elements pass", "In which order?",
      [
        .use("merge", "As they arrive"), .use("concat", "One source after the other"),
        .use("startWith", "Some elements before those of the source"),
        .use("merge(delayErrors:)", "As they arrive, and an error waits for the other sources"),
      ]),
    .ask(
      "Elements are combined", "Which ones?",
      [
        .use("combineLatest", "The latest ones, whenever one source emits"),
        .use("withLatestFrom", "The latest ones, when one certain source emits"),
        .use("zip", "The first ones, then the second ones, and so on"),
      ]),
    .use("amb", "Only the source that emits first counts"),
    .use("andThen", "Another sequence follows a `Completable`"),
  ]

  private static let recovers: [Answer] = [
    .use("catchAndReturn", "An element"), .use("catch", "Another observable"),
    .use("catch(sequence:)", "The next one of several observables"),
    .ask(
      "The source begins again", "When, and how often?",
      [
        .use("retry()", "At once, without a limit"),
        .use("retry(_:)", "At once, a number of times"), .use("retry(backoff)", "After a delay"),
        .use("retry(when:)", "When another observable emits"),
      ]),
    .use("materialize", "The error as an element"),
    .use("merge(delayErrors:)", "First the rest of the other sources"),
  ]

  private static let times: [Answer] = [
    .use("delay", "Elements arrive later"),
    .use("delaySubscription", "The source begins later"),
    .ask(
      "A source that is silent", "What then?",
      [.use("timeout", "It fails"), .use("timeout(other:)", "Another observable follows")]),
    .use("observe(on:)", "Elements arrive on another thread"),
    .use("observe(on:buffer:)", "The same, and the observer may be too slow"),
    .use("subscribe(on:)", "The source begins on another thread"),
  ]

  private static let shares: [Answer] = [
    .use("share", "All observers, while there are any"),
    .ask(
      "All observers, from a moment that I choose", "What do later ones receive first?",
      [
        .use("publish", "Nothing"), .use("replay", "The last elements"),
        .use("replayAll", "All elements"), .use("multicast", "What a subject of mine keeps"),
      ]),
    .ask(
      "I have a connectable observable", "When does it connect?",
      [
        .use("connect", "When I call a function"),
        .use("refCount", "With the first observer, until the last one leaves"),
        .use("autoconnect", "With the first observer, for good"),
      ]),
    .use("multicast(selector:)", "The parts of one expression"),
  ]

  private static let receives: [Answer] = [
    .use("subscribe", "In closures"), .use("bind", "In an observer, a relay or a binder"),
    .ask(
      "In a user interface, on the main actor", "What is the source?",
      [.use("drive", "State: a `Driver`"), .use("emit", "Events: a `Signal`")]),
    .ask(
      "In async code", "How many elements?",
      [
        .use("value", "One"), .use("values", "All, in a loop"),
        .use("values(buffer:)", "All, in a loop that may be too slow"),
      ]),
    .use("do", "On the way, where they pass unchanged"),
    .use("debug", "On the way, printed"),
  ]

  private static let promises: [Answer] = [
    .use("asSingle", "It has exactly one element"), .use("asMaybe", "It has one element or none"),
    .use("asCompletable", "It has no element, only an end"),
    .use("asInfallible", "It cannot fail"),
    .use("asDriver", "It is state for a user interface"),
    .use("asSignal", "It is events for a user interface"),
    .use("asSharedSequence", "What a strategy of mine says"),
    .use("asObservable", "Nothing more: back to an observable"),
  ]
}
