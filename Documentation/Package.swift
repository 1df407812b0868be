// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Documentation",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ReactiveCompose", path: "..")],
  targets: [
    // What the pages of the operators say: their diagrams and examples run here.
    .target(
      name: "OperatorPages",
      dependencies: [
        .product(name: "Reactive", package: "ReactiveCompose"),
        .product(name: "ReactiveTesting", package: "ReactiveCompose"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)

if Context.environment["REACTIVE_COMPOSE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
  }
}
