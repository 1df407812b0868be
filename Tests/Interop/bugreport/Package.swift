// swift-tools-version: 6.2
import PackageDescription

// A package like a user's: an app with the fault, and the exported test. `run.sh` copies it to .build-interop/bugreport.
let package = Package(
  name: "BugReport",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "ReactiveCompose", path: "../..")],
  targets: [
    .target(
      name: "Signals",
      dependencies: [.product(name: "Reactive", package: "ReactiveCompose")]
    ),
    .executableTarget(
      name: "tasks",
      dependencies: [
        "Signals",
        .product(name: "Sockets", package: "ReactiveCompose"),
        .product(name: "Inspector", package: "ReactiveCompose"),
      ]
    ),
    .testTarget(
      name: "TasksTests",
      dependencies: [
        "tasks",
        .product(name: "ReactiveTesting", package: "ReactiveCompose"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
