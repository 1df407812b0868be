// swift-tools-version: 6.2
import PackageDescription

let linuxSystem: Target.Dependency = .target(
  name: "CReactiveSystem",
  condition: .when(platforms: [.linux])
)

let package = Package(
  name: "ReactiveCompose",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Reactive", targets: ["Reactive"]),
    .library(name: "Compose", targets: ["Compose"]),
    .library(name: "Sockets", targets: ["Sockets"]),
    .library(name: "ActionCable", targets: ["ActionCable"]),
    .library(name: "SocketsRedis", targets: ["SocketsRedis"]),
    .library(name: "Inspector", targets: ["Inspector"]),
    .library(name: "ReactiveTesting", targets: ["ReactiveTesting"]),
    .executable(name: "inspect", targets: ["inspect"]),
  ],
  traits: [
    .default(enabledTraits: ["FullFoundation"]),
    .trait(
      name: "FullFoundation",
      description: """
        Uses all of Foundation: OperationQueueScheduler, .rx of NSObject, host names in other scripts. Without it a \
        program that is linked statically is smaller by 40 MB.
        """),
    .trait(name: "Tracing", description: "Streams.isTraced works in release builds too."),
  ],
  targets: [
    .target(name: "CReactiveSystem"),
    .target(name: "Reactive", dependencies: [linuxSystem]),
    .target(name: "Compose", dependencies: ["Reactive"]),
    .target(name: "Sockets", dependencies: ["Reactive", "Compose", linuxSystem]),
    .target(name: "ActionCable", dependencies: ["Reactive", "Compose", "Sockets"]),
    .target(name: "SocketsRedis", dependencies: ["Reactive", "Compose", "Sockets"]),
    .target(
      name: "Inspector",
      dependencies: ["Reactive", "Compose", "Sockets"],
      resources: [.embedInCode("Page")]
    ),
    // A client of the inspector's protocol, which proves that the protocol is enough.
    .executableTarget(name: "inspect", dependencies: ["Sockets"]),
    .target(name: "ReactiveTesting", dependencies: ["Reactive", "Compose", "Sockets"]),
    .target(name: "Signals", dependencies: ["Reactive"], path: "Examples/Signals"),
    .executableTarget(
      name: "dashboard",
      dependencies: ["Sockets", "Inspector", "Signals"],
      path: "Examples/dashboard",
      exclude: ["capture.txt"]
    ),
    .executableTarget(name: "echo", dependencies: ["Sockets"], path: "Examples/echo"),
    .executableTarget(
      name: "chat", dependencies: ["ActionCable", "SocketsRedis", "Inspector", "Signals"],
      path: "Examples/chat"),
    .executableTarget(
      name: "tasks", dependencies: ["Sockets", "Inspector", "Signals"], path: "Examples/tasks"),
    .executableTarget(
      name: "autobahn-testee",
      dependencies: ["Sockets"],
      path: "Tests/Interop/autobahn/testee"
    ),
    .executableTarget(
      name: "crowd",
      dependencies: ["SocketsRedis", linuxSystem],
      path: "Tests/Interop/crowd/crowd"
    ),
    .executableTarget(
      name: "attacked",
      dependencies: ["Sockets"],
      path: "Tests/Interop/attacks/attacked"
    ),
    .executableTarget(
      name: "interop-peer",
      dependencies: ["Sockets"],
      path: "Tests/Interop/peer"
    ),
    .executableTarget(
      name: "mcp-peer", dependencies: ["Inspector", "ReactiveTesting"],
      path: "Tests/Interop/mcp/peer"),
    // What the tests of the inspector's page look at.
    .executableTarget(
      name: "inspected", dependencies: ["Inspector"], path: "Tests/Browser/program"),
    // A program of its own: what links ReactiveTesting runs its tasks and dependencies as a test does.
    .executableTarget(
      name: "inspected-clock", dependencies: ["Inspector", "ReactiveTesting"],
      path: "Tests/Browser/clock"),
    .target(
      name: "TestSupport",
      dependencies: ["Sockets", "ReactiveTesting", linuxSystem],
      path: "Tests/TestSupport"
    ),
    // The sources of Reactive once more, with atomics and locks whose order tests decide, and what counts
    // what is alive.
    .target(
      name: "ExploredReactive",
      dependencies: [linuxSystem],
      path: "Tests/Explorer/Explored",
      swiftSettings: [.define("EXPLORED"), .define("TRACE_RESOURCES")]
    ),
    .testTarget(
      name: "ExplorerTests",
      dependencies: ["ExploredReactive", "TestSupport"],
      path: "Tests/Explorer/Tests"
    ),
    // Graphs of operators, run by Reactive and by a reference that says what RxSwift does.
    .target(name: "RxReference", path: "Tests/Differential/Reference"),
    .target(
      name: "DifferentialGraphs",
      dependencies: ["Reactive", "ReactiveTesting", "RxReference"],
      path: "Tests/Differential/Graphs"
    ),
    .executableTarget(
      name: "differential", dependencies: ["DifferentialGraphs", linuxSystem],
      path: "Tests/Differential/Runner"),
    .testTarget(
      name: "DifferentialTests",
      dependencies: [
        "DifferentialGraphs", "Reactive", "ReactiveTesting", "RxReference", "TestSupport",
      ],
      path: "Tests/Differential/Tests"
    ),
    // Threads that race with each other in every way that users' threads may.
    .executableTarget(
      name: "stress", dependencies: ["Reactive", linuxSystem], path: "Tests/Stress"),
    // Simulates the example apps, whose sources it links.
    .executableTarget(
      name: "simulate",
      dependencies: ["ActionCable", "Inspector", "ReactiveTesting", "Signals"],
      path: "Tests/Simulate", exclude: ["Faults"]),
    // A server with a room and clients, of which tests run several.
    .executableTarget(
      name: "room-process", dependencies: ["SocketsRedis"], path: "Tests/RoomProcess"),
    // What the tests of tracing look at: places are found at once in a small program.
    .executableTarget(name: "traced", dependencies: ["Reactive"], path: "Tests/Traced"),
    .testTarget(
      name: "ComposeTests",
      dependencies: ["Compose", "ReactiveTesting", "TestSupport", linuxSystem]
    ),
    .testTarget(
      name: "ComposeTutorialTests", dependencies: ["Sockets", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "RxComposeReadmeTests", dependencies: ["Compose", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "RxComposeReadmeMainActorTests",
      dependencies: ["Compose", "ReactiveTesting", "TestSupport"],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(
      name: "RxSwiftIdiomsTests",
      dependencies: ["Reactive", "ReactiveTesting", "TestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
      name: "RxSwiftIdiomsSwift6Tests",
      dependencies: ["Reactive", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "SocketsTests",
      dependencies: ["Sockets", "ReactiveTesting", "TestSupport", linuxSystem]
    ),
    .testTarget(
      name: "ActionCableTests",
      dependencies: ["ActionCable", "ReactiveTesting", "TestSupport", linuxSystem]
    ),
    .testTarget(
      name: "SocketsRedisTests",
      dependencies: ["SocketsRedis", "ReactiveTesting", "TestSupport", "room-process"]
    ),
    .testTarget(
      name: "InspectorTests",
      dependencies: ["Inspector", "ReactiveTesting", "TestSupport"]
    ),
    .testTarget(
      name: "InspectTests",
      dependencies: ["inspect", "Inspector", "ReactiveTesting", "TestSupport"]
    ),
    .testTarget(name: "ChatTests", dependencies: ["chat", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "DashboardTests", dependencies: ["dashboard", "ReactiveTesting", "TestSupport"]),
    .testTarget(name: "EchoTests", dependencies: ["echo", "ReactiveTesting", "TestSupport"]),
    .testTarget(name: "TasksTests", dependencies: ["tasks", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "ReactiveTests",
      dependencies: ["Reactive", "ReactiveTesting", "TestSupport", linuxSystem]
    ),
    .testTarget(
      name: "ReactiveTestingTests", dependencies: ["Reactive", "ReactiveTesting", "TestSupport"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["simulate", "ReactiveTesting", "TestSupport"], exclude: ["README.md"]),
    .testTarget(
      name: "InteropTests", dependencies: ["ActionCable", "ReactiveTesting", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

let modules = [
  "Reactive", "Compose", "Sockets", "ActionCable", "SocketsRedis", "Inspector", "ReactiveTesting",
]

// Set in CI for the sanitizers, which need a build of their own: the modules and tests of each.
if let sanitizer = Context.environment["REACTIVE_COMPOSE_SANITIZED"] {
  let withUnsafeCode = ["Reactive", "Compose", "Sockets"]
  let tested = sanitizer == "address" ? withUnsafeCode : modules
  let kept = Set(
    ["CReactiveSystem", "ReactiveTesting", "TestSupport", "traced"]
      + tested + tested.map { "\($0)Tests" }
      + (tested.contains("SocketsRedis") ? ["room-process"] : [])
      // Tests of ReactiveTesting, too.
      + (tested.contains("ReactiveTesting") ? ["SimulationTests", "simulate", "Signals"] : []))
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    guard let library = product as? Product.Library else { return true }
    return !kept.isSuperset(of: library.targets)
  }
}

// Set in CI. Examples of other projects' READMEs keep their warnings.
if Context.environment["REACTIVE_COMPOSE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets where !target.name.hasPrefix("RxComposeReadme") {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// Set in CI: the debug build counts how often each line of the modules runs.
if Context.environment["REACTIVE_COMPOSE_COVERAGE"] != nil {
  for target in package.targets where modules.contains(target.name) || target.name == "inspect" {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .unsafeFlags(
          ["-profile-generate", "-profile-coverage-mapping"], .when(configuration: .debug))
      ]
    target.linkerSettings = [.unsafeFlags(["-profile-generate"], .when(configuration: .debug))]
  }
}
