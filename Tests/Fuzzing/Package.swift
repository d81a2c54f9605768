// swift-tools-version: 6.3

import PackageDescription

// The fuzzers: a package of its own, because the parsers are compiled again here, with coverage and address sanitizer, and
// without the libraries that they do not need; `Crypto` replaces one of them. `Sources` and `TestSupport` are
// links into the project, and so are the files in `Fuzzer` that say what must hold: the tests use them too.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibYAML",
            path: "Sources/CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .target(name: "YAML", dependencies: ["CLibYAML", "OpenMarket"], path: "Sources/YAML"),
        .target(name: "Crypto", path: "Crypto"),
        .target(
            name: "OpenMarket",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Sources/OpenMarket"
        ),
        .target(
            name: "OpenMarketFiles",
            dependencies: ["OpenMarket", "Crypto", .product(name: "SystemPackage", package: "swift-system")],
            path: "Sources/OpenMarketFiles"
        ),
        .target(
            name: "OpenMarketManifest",
            dependencies: [
                "OpenMarket",
                "OpenMarketDescription",
                "OpenMarketFiles",
                "YAML",
                "Crypto",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/OpenMarketManifest"
        ),
        .target(
            name: "OpenMarketDescription",
            dependencies: ["OpenMarket", "YAML", "Crypto"],
            path: "Sources/OpenMarketDescription",
            resources: ["v1a", "v1b", "v2a", "v2b"].map { .embedInCode("Markets/\($0).market.yaml") }
        ),
        .target(
            name: "OpenMarketClient",
            dependencies: ["OpenMarket", "OpenMarketDescription", "Crypto"],
            path: "Sources/OpenMarketClient",
            sources: [
                "Readers", "Transport/RetryAfter.swift", "Walk/LivePage.swift", "Walk/NextPage.swift",
                "Wire/MarketWire.swift",
            ]
        ),
        .target(
            name: "OpenMarketServer",
            dependencies: ["OpenMarket"],
            path: "Sources/OpenMarketServer",
            sources: ["Wire/MultipartForm.swift"]
        ),
        .target(name: "OpenMarketTestSupport", path: "TestSupport", sources: ["StrictCSV.swift"]),
        .target(name: "LibFuzzer", path: "LibFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "LibFuzzer", "OpenMarket", "OpenMarketClient", "OpenMarketDescription", "OpenMarketFiles",
                "OpenMarketManifest", "OpenMarketServer", "OpenMarketTestSupport", "YAML",
            ],
            path: "Fuzzer"
        ),
    ]
)

for target in package.targets where target.type != .system && target.name != "LibFuzzer" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
    ]
    if target.type == .executable {
        // The linker that Swift takes otherwise cannot link the sanitizers.
        target.linkerSettings = [
            .unsafeFlags(["-sanitize=fuzzer,address"]), .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
        ]
    }
}
