// swift-tools-version: 6.2
import PackageDescription

// A program that is linked statically, without the parts that need all of Foundation.
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
