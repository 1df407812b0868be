// swift-tools-version: 6.2
import PackageDescription

// A package of a user: its tests run concurrently, without this repository's
// test support.
let package = Package(
  name: "ClientPackage",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "ReactiveCompose", path: "../..")],
  targets: [
    .testTarget(
      name: "ClientTests",
      dependencies: [
        .product(name: "Sockets", package: "ReactiveCompose"),
        .product(name: "ReactiveTesting", package: "ReactiveCompose"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
