// swift-tools-version: 6.2
import PackageDescription

/// A library of this repository.
func root(_ name: String) -> Target.Dependency {
  .product(name: name, package: "ReactiveCompose")
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let asyncAlgorithms = Target.Dependency.product(
  name: "AsyncAlgorithms", package: "swift-async-algorithms")

let integrations = [
  "LoggingIntegration", "MetricsIntegration", "LifecycleIntegration", "TracingIntegration",
  "NIOIntegration", "HummingbirdIntegration", "AsyncAlgorithmsIntegration",
]

let package = Package(
  name: "Integrations",
  platforms: [.macOS(.v15)],
  products: integrations.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(name: "ReactiveCompose", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
  ],
  targets: [
    .target(name: "LoggingIntegration", dependencies: [root("Sockets"), logging]),
    .target(name: "MetricsIntegration", dependencies: [root("Sockets"), metrics]),
    .target(name: "LifecycleIntegration", dependencies: [root("Sockets"), lifecycle]),
    .target(name: "TracingIntegration", dependencies: [root("Sockets"), tracing]),
    .target(name: "NIOIntegration", dependencies: [root("Sockets"), nio]),
    .target(
      name: "HummingbirdIntegration",
      dependencies: ["NIOIntegration", root("Sockets"), hummingbirdCore, nio, logging]),
    .target(name: "AsyncAlgorithmsIntegration", dependencies: [root("Reactive"), asyncAlgorithms]),
    .executableTarget(
      name: "rooms",
      dependencies: [
        "AsyncAlgorithmsIntegration", "HummingbirdIntegration", "LifecycleIntegration",
        "LoggingIntegration", "MetricsIntegration", "TracingIntegration", root("Sockets"),
        asyncAlgorithms, hummingbird, lifecycle, logging, metrics, tracing,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      path: "Examples/rooms"),
    .testTarget(
      name: "ExampleTests", dependencies: ["rooms", "IntegrationTestSupport", root("Sockets")]),
    .target(
      name: "IntegrationTestSupport", dependencies: [root("Sockets"), nio, nioPosix],
      path: "Tests/IntegrationTestSupport"),
    .testTarget(
      name: "LoggingIntegrationTests",
      dependencies: ["LoggingIntegration", "IntegrationTestSupport", root("Sockets"), logging]),
    .testTarget(
      name: "MetricsIntegrationTests",
      dependencies: [
        "MetricsIntegration", "IntegrationTestSupport", root("Sockets"), root("ReactiveTesting"),
        metrics, .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "LifecycleIntegrationTests",
      dependencies: [
        "LifecycleIntegration", "IntegrationTestSupport", root("Sockets"), lifecycle, logging,
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "TracingIntegrationTests",
      dependencies: [
        "TracingIntegration", "IntegrationTestSupport", root("Sockets"), tracing,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "NIOIntegrationTests",
      dependencies: [
        "NIOIntegration", "IntegrationTestSupport", root("Sockets"), nio, nioPosix,
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .testTarget(
      name: "HummingbirdIntegrationTests",
      dependencies: [
        "HummingbirdIntegration", "LifecycleIntegration", "IntegrationTestSupport", root("Sockets"),
        hummingbird, lifecycle, logging, nio,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    .testTarget(
      name: "AsyncAlgorithmsIntegrationTests",
      dependencies: [
        "AsyncAlgorithmsIntegration", "IntegrationTestSupport", root("Sockets"), asyncAlgorithms,
      ]),
  ],
  swiftLanguageModes: [.v6]
)

if Context.environment["REACTIVE_COMPOSE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
  }
}
