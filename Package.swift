// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "openmarket",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "openmarket", targets: ["OpenMarketCLI"])
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "States that several machines share, in PostgreSQL. Needs libpq.")
    ],
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
        // libyaml, the C library of the system.
        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        // zlib, the C library of the system.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // libpq, the C library of the system, with the trait PostgreSQL only.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The commit that a package is built from, as its script says it. In C, because Swift takes no values from a build.
        .target(
            name: "CBuild",
            cSettings: Context.environment["OPENMARKET_COMMIT"].map { [.define("OPENMARKET_COMMIT", to: "\"\($0)\"")] }
        ),
        // YAML events and nodes with the line and column they stand at.
        .target(name: "YAML", dependencies: ["CLibYAML"]),
        // The core: model, diagnostics, planner, executor, CSV and the ports. No effects; swift-log is all it imports.
        .target(name: "OpenMarket", dependencies: [.product(name: "Logging", package: "swift-log")]),
        // Files: which a command reads and writes, whole files, locked files, files named by their content.
        .target(
            name: "OpenMarketFiles",
            dependencies: [
                "OpenMarket",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // YAML to listings, with every fault at its line.
        .target(
            name: "OpenMarketManifest",
            dependencies: [
                "OpenMarket",
                "OpenMarketDescription",
                "OpenMarketFiles",
                "YAML",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // Markets described in files: the language as a value, its loader, its JSON Schema, and what follows from it.
        .target(
            name: "OpenMarketDescription",
            dependencies: ["OpenMarket", "YAML", .product(name: "Crypto", package: "swift-crypto")],
            resources: ["v1a", "v1b", "v2a", "v2b"].map { .embedInCode("Markets/\($0).market.yaml") }
        ),
        // Requests and replies of the four deployments, and the HTTP transport.
        .target(
            name: "OpenMarketClient",
            dependencies: [
                "OpenMarket",
                "OpenMarketDescription",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // The use cases: settle, plan, apply, export, and the documents that they leave for programs and people. Over
        // ports: no terminal, no HTTP, no SQLite.
        .target(
            name: "OpenMarketWorkflow",
            dependencies: [
                "OpenMarket",
                "OpenMarketDescription",
                "OpenMarketFiles",
                "OpenMarketManifest",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [
                "page.css", "page.js", "korean.json", "page.mustache", "message.mustache", "finding.mustache",
                "operation.mustache", "parts.mustache",
            ].map { .embedInCode("Review/Page/\($0)") }
        ),
        // Exported catalogs in forms that need a library: SQLite, gzip.
        .target(
            name: "OpenMarketCatalogFiles",
            dependencies: [
                "CZlib",
                "OpenMarket",
                "OpenMarketFiles",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // State and journal in SQLite.
        .target(
            name: "OpenMarketState",
            dependencies: [
                "OpenMarket",
                "OpenMarketFiles",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // State and journal in PostgreSQL; empty without the trait.
        .target(
            name: "OpenMarketPostgreSQL",
            dependencies: [
                "OpenMarket",
                "OpenMarketFiles",
                .target(name: "CLibPQ", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),
        // The reference server. Shares no wire code with the client.
        .target(
            name: "OpenMarketServer",
            dependencies: [
                "CZlib",
                "OpenMarket",
                "YAML",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Page/shop.css"), .embedInCode("Page/shop.html"), .embedInCode("Page/shop.js"),
            ]
                // A link to the example; each of its files is named in `KoreanShop`, too.
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
                "CBuild",
                "OpenMarket",
                "OpenMarketCatalogFiles",
                "OpenMarketClient",
                "OpenMarketDescription",
                "OpenMarketFiles",
                "OpenMarketManifest",
                .target(name: "OpenMarketPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                "OpenMarketServer",
                "OpenMarketState",
                "OpenMarketWorkflow",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        .target(
            name: "OpenMarketTestSupport",
            dependencies: [
                "OpenMarket", "OpenMarketDescription",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/OpenMarketTestSupport"
        ),
        .testTarget(name: "YAMLTests", dependencies: ["YAML", "OpenMarketTestSupport"]),
        .testTarget(
            name: "OpenMarketTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketTestSupport",
                "OpenMarketWorkflow", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "OpenMarketFilesTests",
            dependencies: [
                "OpenMarket", "OpenMarketFiles", "OpenMarketTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "OpenMarketCatalogFilesTests",
            dependencies: [
                "OpenMarket", "OpenMarketCatalogFiles", "OpenMarketTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "OpenMarketManifestTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest",
                "OpenMarketTestSupport",
                "OpenMarketWorkflow",
                "YAML",
            ]
        ),
        .testTarget(
            name: "OpenMarketDescriptionTests",
            dependencies: ["OpenMarket", "OpenMarketDescription", "OpenMarketTestSupport", "YAML"],
            exclude: ["Fixtures", "Golden"]
        ),
        .testTarget(
            name: "OpenMarketClientTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketTestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "OpenMarketWorkflowTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketCatalogFiles", "OpenMarketFiles",
                "OpenMarketManifest",
                "OpenMarketTestSupport", "OpenMarketWorkflow",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Review/Golden"]
        ),
        .testTarget(
            name: "OpenMarketStateTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketState", "OpenMarketTestSupport", "OpenMarketWorkflow",
                .target(name: "OpenMarketPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "OpenMarketServerTests",
            dependencies: [
                "OpenMarket", "OpenMarketDescription", "OpenMarketServer", "OpenMarketTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // Client × server × profile.
        .testTarget(
            name: "OpenMarketContractTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketManifest", "OpenMarketServer",
                "OpenMarketTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Whole commands in process against a market that misbehaves from a seed.
        .testTarget(
            name: "OpenMarketHistoryTests",
            dependencies: [
                "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketManifest",
                "OpenMarketTestSupport",
                "OpenMarketWorkflow",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // The real binary, the examples and the scripts.
        .testTarget(
            name: "OpenMarketCLITests",
            dependencies: [
                "OpenMarket", "OpenMarketCLI", "OpenMarketDescription", "OpenMarketFiles", "OpenMarketManifest",
                "OpenMarketTestSupport", "YAML",
            ],
            exclude: ["Conversations", "Golden"]
        ),
        // The real binary against kills, lost replies, faults, signals, full disks and hostile markets.
        .testTarget(
            name: "OpenMarketReliabilityTests",
            dependencies: [
                "OpenMarket", "OpenMarketCLI", "OpenMarketDescription", "OpenMarketTestSupport", "OpenMarketWorkflow",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
    ]
)

// Tests/run.sh runs thousands of histories and processes, and asks for a release build in which tests see what is internal.
// Only where it is asked for: packages with unsafe flags cannot be dependencies.
let testsRelease = Context.environment["OPENMARKET_TEST_RELEASE"] != nil
let testability: [SwiftSetting] =
    testsRelease ? [.unsafeFlags(["-enable-testing"], .when(configuration: .release))] : []
// Only what computes is optimised: for the other tests, and for what words results, reads arguments or serves, it would take longer
// than they run.
let noOptimization: [SwiftSetting] =
    testsRelease ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []
// Tests/PostgreSQL/without.sh only compiles and links, with the libraries that the tests' release has built.
let linksOnly = Context.environment["OPENMARKET_LINK_CHECK"] != nil
let linkCheck: [SwiftSetting] =
    linksOnly ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []
// Of the index that is written for editors SwiftPM needs the tests' part, to find the tests.
let testIndex: [SwiftSetting] =
    Context.environment["OPENMARKET_TEST_INDEX"].map { [.unsafeFlags(["-index-store-path", $0])] } ?? []
// What reads bytes of markets and states says where it trusts a pointer.
let memorySafe: Set = ["OpenMarket", "OpenMarketClient", "OpenMarketState"]
let computingTests: Set = ["OpenMarketHistoryTests"]
let unoptimized: Set = ["OpenMarketCLI", "OpenMarketPostgreSQL", "OpenMarketServer"]

for target in package.targets where target.type != .system {
    let isTest = target.type == .test
    target.swiftSettings =
        isTest
        ? testIndex + (computingTests.contains(target.name) ? [] : noOptimization)
        : testability + (unoptimized.contains(target.name) ? noOptimization : []) + linkCheck
    target.swiftSettings? += [
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
