// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveCompose", path: "..")],
  targets: [
    .target(name: "CHeap"),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CHeap",
        .product(name: "Reactive", package: "ReactiveCompose"),
        .product(name: "Compose", package: "ReactiveCompose"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
