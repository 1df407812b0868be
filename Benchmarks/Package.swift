// swift-tools-version: 6.2
import PackageDescription

/// The peers' packages are resolved on request only: `BENCHMARK_PEERS=1 swift run -c release ...`.
let hasPeers = Context.environment["BENCHMARK_PEERS"] == "1"

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveCompose", path: "..")],
  targets: [
    .target(name: "CHeap"),
    // A server to compare ours with, clients that measure both, and ours in a process of its own.
    .executableTarget(name: "floor"),
    .executableTarget(name: "load"),
    .executableTarget(
      name: "echo-server", dependencies: [.product(name: "Sockets", package: "ReactiveCompose")]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CHeap",
        .product(name: "Reactive", package: "ReactiveCompose"),
        .product(name: "Compose", package: "ReactiveCompose"),
        .product(name: "Sockets", package: "ReactiveCompose"),
        .product(name: "Inspector", package: "ReactiveCompose"),
      ]
    ),
    // Topics past one process, which need a Redis.
    .executableTarget(
      name: "topics",
      dependencies: [.product(name: "SocketsRedis", package: "ReactiveCompose")]
    ),
  ],
  swiftLanguageModes: [.v6]
)

if hasPeers {
  package.dependencies += [
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
  ]
  for target in package.targets where target.name == "benchmarks" {
    target.dependencies += [
      .product(name: "OpenCombine", package: "OpenCombine"),
      .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
      .product(name: "NIOWebSocket", package: "swift-nio"),
      .product(name: "FlyingFox", package: "FlyingFox"),
    ]
    target.swiftSettings = [.define("PEERS")]
  }
}
