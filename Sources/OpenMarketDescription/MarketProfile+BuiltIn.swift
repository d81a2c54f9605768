package import OpenMarket

extension MarketProfile {
    /// January and February 2021, `camp-open-market`.
    package static let v1a = MarketProfile(.v1a)
    /// May to October 2021, `camp-open-market-2`.
    package static let v1b = MarketProfile(.v1b)
    /// January to September 2022, `market-training`.
    static let v2a = MarketProfile(.v2a)
    /// October 2022 to May 2023, `openmarket`.
    package static let v2b = MarketProfile(.v2b)

    /// The markets that are part of the program.
    package static let builtIns: [MarketProfile] = [v1a, v1b, v2a, v2b]

    /// Finds a built-in market by name: `v1a`, `v1b`, `v2a`, `v2b`, and `v1` for `v1b`, `v2` for `v2b`; any case.
    package init?(name: String) {
        switch BuiltInMarket(name: name) {
        case .v1a: self = .v1a
        case .v1b: self = .v1b
        case .v2a: self = .v2a
        case .v2b: self = .v2b
        case nil: return nil
        }
    }

    /// Whether the market may be talked to at a URL: over TLS, on this machine, or where that is accepted over what can be
    /// read on the way.
    ///
    /// The built-in markets show their products to everybody, and only their authors' servers had https.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - acceptsPlainHTTP: whether everybody on the way may read what a described market is sent and answers.
    /// - Returns: whether it may.
    package func isSafe(at url: String, acceptsPlainHTTP: Bool) -> Bool {
        guard !isBuiltIn, !acceptsPlainHTTP else { return true }
        return (try? MarketURL(url)).map { $0.isEncrypted || $0.isLoopback } ?? false
    }

    private init(_ market: BuiltInMarket) {
        self.init(
            market.read.described,
            document: market.document,
            digest: market.read.digest,
            parameters: [:],
            isBuiltIn: true
        )
    }
}

extension BuiltInMarket {
    /// Its description, as a value.
    package var described: MarketDescription { read.described }

    /// The SHA-256 of its description.
    package var digest: ContentDigest { read.digest }

    /// What was read of a document.
    fileprivate struct Read: Sendable {
        var described: MarketDescription
        var digest: ContentDigest

        init(_ market: BuiltInMarket) {
            let loaded = market.loaded
            guard let description = loaded.description else {
                preconditionFailure("the description of \(market.rawValue) is faulty: \(loaded.faults)")
            }
            described = description
            digest = loaded.digest
        }
    }

    /// Each is read once, when it is first asked for.
    fileprivate var read: Read {
        switch self {
        case .v1a: Self.v1aRead
        case .v1b: Self.v1bRead
        case .v2a: Self.v2aRead
        case .v2b: Self.v2bRead
        }
    }

    private static let v1aRead = Read(.v1a)
    private static let v1bRead = Read(.v1b)
    private static let v2aRead = Read(.v2a)
    private static let v2bRead = Read(.v2b)
}
