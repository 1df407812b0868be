// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tea",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveCompose", path: "../ReactiveCompose")],
  targets: [
    .executableTarget(
      name: "tea",
      dependencies: [
        .product(name: "Compose", package: "ReactiveCompose"),
        .product(name: "Sockets", package: "ReactiveCompose"),
        .product(name: "Inspector", package: "ReactiveCompose"),
      ]
    ),
    .testTarget(
      name: "teaTests",
      dependencies: ["tea", .product(name: "ReactiveTesting", package: "ReactiveCompose")]
    ),
  ]
)
