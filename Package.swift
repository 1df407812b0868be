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
    .library(name: "ReactiveTesting", targets: ["ReactiveTesting"]),
  ],
  targets: [
    .target(name: "CReactiveSystem"),
    .target(name: "Reactive"),
    .target(name: "Compose", dependencies: ["Reactive"]),
    .target(name: "Sockets", dependencies: ["Reactive", "Compose", linuxSystem]),
    .target(name: "ReactiveTesting", dependencies: ["Reactive", "Compose", "Sockets"]),
    .executableTarget(
      name: "dashboard",
      dependencies: ["Sockets"],
      path: "Examples/dashboard",
      exclude: ["capture.txt"]
    ),
    .executableTarget(name: "echo", dependencies: ["Sockets"], path: "Examples/echo"),
    .executableTarget(name: "chat", dependencies: ["Sockets"], path: "Examples/chat"),
    .executableTarget(
      name: "autobahn-testee",
      dependencies: ["Sockets"],
      path: "Tests/Interop/autobahn/testee"
    ),
    .executableTarget(
      name: "crowd",
      dependencies: ["Sockets", linuxSystem],
      path: "Tests/Interop/crowd/crowd"
    ),
    .testTarget(
      name: "ComposeTests",
      dependencies: ["Compose", "ReactiveTesting", linuxSystem]
    ),
    .testTarget(name: "ComposeTutorialTests", dependencies: ["Sockets", "ReactiveTesting"]),
    .testTarget(name: "RxComposeReadmeTests", dependencies: ["Compose", "ReactiveTesting"]),
    .testTarget(
      name: "RxComposeReadmeMainActorTests",
      dependencies: ["Compose", "ReactiveTesting"],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(
      name: "RxSwiftIdiomsTests",
      dependencies: ["Reactive", "ReactiveTesting"],
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(name: "RxSwiftIdiomsSwift6Tests", dependencies: ["Reactive", "ReactiveTesting"]),
    .testTarget(
      name: "SocketsTests",
      dependencies: ["Sockets", "ReactiveTesting", linuxSystem]
    ),
    .testTarget(name: "ChatTests", dependencies: ["chat", "ReactiveTesting"]),
    .testTarget(name: "DashboardTests", dependencies: ["dashboard", "ReactiveTesting"]),
    .testTarget(name: "EchoTests", dependencies: ["echo", "ReactiveTesting"]),
    .testTarget(
      name: "ReactiveTests",
      dependencies: ["Reactive", "ReactiveTesting", linuxSystem]
    ),
    .testTarget(name: "ReactiveTestingTests", dependencies: ["Reactive", "ReactiveTesting"]),
    .testTarget(name: "InteropTests", dependencies: ["Sockets", "ReactiveTesting"]),
  ],
  swiftLanguageModes: [.v6]
)
