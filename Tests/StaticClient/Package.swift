// swift-tools-version: 6.2
import PackageDescription

// A statically linked program without the parts that need the whole Foundation.
let package = Package(
  name: "StaticClient",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveCompose", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "client",
      dependencies: [.product(name: "Sockets", package: "ReactiveCompose")],
      path: "Sources/client"
    )
  ],
  swiftLanguageModes: [.v6]
)
