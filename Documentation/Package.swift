// swift-tools-version: 6.2
import PackageDescription

let modules = [
  "Reactive", "Compose", "Sockets", "ActionCable", "SocketsRedis", "Inspector", "ReactiveTesting",
]

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
    ),
    // The products are linked so that they are built: the reference is made from their modules.
    .target(
      name: "DocumentationSite",
      dependencies: ["OperatorPages"]
        + modules.map { .product(name: $0, package: "ReactiveCompose") },
      resources: [.embedInCode("Assets")]
    ),
    .executableTarget(name: "docs", dependencies: ["DocumentationSite"]),
    .testTarget(
      name: "DocumentationTests", dependencies: ["DocumentationSite", "OperatorPages"],
      exclude: ["Answers.txt"]),
    // The steps of the article "A first program".
    .executableTarget(
      name: "tea-composer", dependencies: [.product(name: "Compose", package: "ReactiveCompose")],
      path: "Tutorial/1-Composer", exclude: ["Package.swift"]),
    .executableTarget(
      name: "tea-timer", dependencies: [.product(name: "Compose", package: "ReactiveCompose")],
      path: "Tutorial/2-Timer"),
    .executableTarget(
      name: "tea-socket", dependencies: [.product(name: "Sockets", package: "ReactiveCompose")],
      path: "Tutorial/4-Socket"),
    .executableTarget(
      name: "tea-inspector",
      dependencies: ["Sockets", "Inspector"].map {
        .product(name: $0, package: "ReactiveCompose")
      },
      path: "Tutorial/5-Inspector"),
    .testTarget(
      name: "TutorialTests",
      dependencies: [
        "DocumentationSite", "tea-composer", "tea-timer", "tea-socket", "tea-inspector",
        .product(name: "ReactiveTesting", package: "ReactiveCompose"),
      ],
      path: "Tutorial/3-Test"),
    // Each file is a page: its text is what the page shows, and its tests run it in virtual time.
    .testTarget(
      name: "Recipes",
      dependencies: ["Reactive", "Compose", "Sockets", "ReactiveTesting"].map {
        .product(name: $0, package: "ReactiveCompose")
      }
    ),
  ],
  swiftLanguageModes: [.v6]
)

if Context.environment["REACTIVE_COMPOSE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
  }
}
