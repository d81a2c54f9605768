// swift-tools-version: 6.3

import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
    name: "openmarket",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "openmarket", targets: ["OpenMarketCLI"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // The system's C libraries.
        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The commit that a package is built from. In C, because Swift takes no values from a build.
        .target(
            name: "CBuild",
            cSettings: Context.environment["OPENMARKET_COMMIT"].map { [.define("OPENMARKET_COMMIT", to: "\"\($0)\"")] }
        ),
        // The core: model, formats, ports, planner, executor. No effects.
        .target(name: "OpenMarket", dependencies: [logging]),
        // YAML with line and column; tables of keys that read a file, and print its JSON Schema and its reference.
        .target(name: "YAML", dependencies: ["CLibYAML", "OpenMarket"]),
        // Which files a command reads and writes; whole files, locked files, files named by their content.
        .target(name: "OpenMarketFiles", dependencies: ["OpenMarket", crypto, systemPackage]),
        // Markets described in files: the language as a value, its loader, its JSON Schema.
        .target(
            name: "OpenMarketDescription",
            dependencies: ["OpenMarket", "YAML", crypto],
            resources: ["v1a", "v1b", "v2a", "v2b"].map { .embedInCode("Markets/\($0).market.yaml") }
        ),
        // YAML and tables to listings, with every fault at its line.
        .target(
            name: "OpenMarketManifest",
            dependencies: ["OpenMarket", "OpenMarketDescription", "OpenMarketFiles", "YAML", crypto, systemPackage]
        ),
        // Requests to a described market and its replies; the HTTP transport.
        .target(
            name: "OpenMarketClient",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", asyncHTTPClient, crypto, logging, nioCore, nioHTTP1,
                nioHTTPCompression, systemPackage,
            ]
        ),
        // The use cases and their documents for programs and people. Over ports: no terminal, no HTTP, no SQLite.
        .target(
            name: "OpenMarketWorkflow",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest", crypto, mustache,
                systemPackage,
            ],
            resources: [
                "page.css", "page.js", "korean.json", "page.mustache", "message.mustache", "finding.mustache",
                "operation.mustache", "parts.mustache",
            ].map { .embedInCode("Review/Page/\($0)") }
        ),
        // State and journal in SQLite and PostgreSQL; exported catalogs in SQLite and gzip.
        .target(
            name: "OpenMarketState",
            dependencies: ["CLibPQ", "CZlib", "OpenMarket", "OpenMarketFiles", grdb, grdbSQLite, systemPackage]
        ),
        // The reference server. Shares no wire code with the client.
        .target(
            name: "OpenMarketServer",
            dependencies: [
                "CZlib", "OpenMarket", "YAML", crypto, grdb, httpTypes, hummingbird, hummingbirdCore, logging, nioCore,
                nioHTTPTypes, nioPosix, serviceLifecycle, systemPackage, unixSignals,
            ],
            resources: [
                .embedInCode("Page/shop.css"), .embedInCode("Page/shop.html"), .embedInCode("Page/shop.js"),
                .embedInCode("Seed/articles.yaml"),
            ]
                + ["bag", "book", "bottle", "cup", "cushion", "jar", "lamp", "plate"].map {
                    .embedInCode("Seed/drawings/\($0).png")
                }
                // A link to the example; `KoreanShop` names each of its files, too.
                + [
                    "openmarket.yaml", "images/bojagi-wrapped.png", "images/bojagi.png", "images/brass-cutlery.png",
                    "images/celadon-cup.jpg", "images/celadon-pair.jpg", "images/green-tea.png",
                    "images/hanji-lamp-lit.jpg", "images/hanji-lamp-unlit.png", "images/moon-jar-blossom.jpg",
                    "images/moon-jar.jpg", "images/round-fan.png",
                ].map { .embedInCode("Seed/korean-shop/\($0)") }
        ),
        // The command line: the only place where everything meets.
        .executableTarget(
            name: "OpenMarketCLI",
            dependencies: [
                "CBuild", "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketFiles",
                "OpenMarketManifest", "OpenMarketServer", "OpenMarketState", "OpenMarketWorkflow", argumentParser,
                logging, subprocess, systemPackage, unixSignals,
            ]
        ),

        .target(
            name: "OpenMarketTestSupport",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketWorkflow", crypto, subprocess, systemPackage,
            ],
            path: "Tests/OpenMarketTestSupport"
        ),
        .testTarget(name: "YAMLTests", dependencies: ["OpenMarket", "OpenMarketTestSupport", "YAML"]),
        .testTarget(
            name: "OpenMarketTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketState", "OpenMarketTestSupport",
                "OpenMarketWorkflow", grdb, logging,
            ]
        ),
        .testTarget(
            name: "OpenMarketFilesTests",
            dependencies: ["OpenMarket", "OpenMarketFiles", "OpenMarketTestSupport", systemPackage]
        ),
        .testTarget(
            name: "OpenMarketDescriptionTests",
            dependencies: ["OpenMarket", "OpenMarketDescription", "OpenMarketTestSupport", "YAML"],
            exclude: ["Fixtures", "Golden"]
        ),
        .testTarget(
            name: "OpenMarketManifestTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest",
                "OpenMarketTestSupport", "OpenMarketWorkflow", "YAML",
            ]
        ),
        // Also the client against the server, for each built-in market.
        .testTarget(
            name: "OpenMarketClientTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketManifest", "OpenMarketServer",
                "OpenMarketTestSupport", logging, nioCore, nioHTTP1,
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "OpenMarketWorkflowTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest", "OpenMarketState",
                "OpenMarketTestSupport", "OpenMarketWorkflow", crypto, systemPackage,
            ],
            exclude: ["Review/Golden"]
        ),
        .testTarget(
            name: "OpenMarketStateTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketState", "OpenMarketTestSupport",
                "OpenMarketWorkflow", grdb, subprocess, systemPackage,
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "OpenMarketServerTests",
            dependencies: [
                "OpenMarket", "OpenMarketServer", "OpenMarketTestSupport", grdb, httpTypes, hummingbird,
                hummingbirdTesting, logging, nioCore, systemPackage,
            ]
        ),
        // Whole commands: the real program, the examples and the scripts.
        .testTarget(
            name: "OpenMarketCLITests",
            dependencies: [
                "OpenMarket", "OpenMarketCLI", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest",
                "OpenMarketTestSupport", "OpenMarketWorkflow", "YAML", argumentParser, systemPackage,
            ],
            exclude: ["Conversations", "Golden"]
        ),
        // The real program against kills, lost replies and hostile markets; random histories in process.
        .testTarget(
            name: "OpenMarketReliabilityTests",
            dependencies: [
                "OpenMarket", "OpenMarketCLI", "OpenMarketClient", "OpenMarketDescription", "OpenMarketManifest",
                "OpenMarketTestSupport", "OpenMarketWorkflow", crypto, grdb,
            ]
        ),
    ]
)

// What reads bytes of markets and states marks where it trusts a pointer.
let memorySafe: Set = ["OpenMarket", "OpenMarketClient", "OpenMarketState"]

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if memorySafe.contains(target.name) { target.swiftSettings?.append(.strictMemorySafety()) }
}
