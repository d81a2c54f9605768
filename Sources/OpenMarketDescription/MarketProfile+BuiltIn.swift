package import OpenMarket
import Synchronization

extension MarketProfile {
    /// January and February 2021, `camp-open-market`.
    package static let v1a = MarketProfile(.v1a)
    /// May to October 2021, `camp-open-market-2`.
    package static let v1b = MarketProfile(.v1b)
    /// January to September 2022, `market-training`.
    static let v2a = MarketProfile(.v2a)
    /// October 2022 to May 2023, `openmarket`.
    package static let v2b = MarketProfile(.v2b)

    /// The market of a manifest without `api:`.
    package static let standard = v2b

    package static let builtIns: [MarketProfile] = [v1a, v1b, v2a, v2b]

    /// Finds a built-in market by name, ignoring case; `v1` means `v1b`, and `v2` means `v2b`.
    package init?(name: String) {
        switch BuiltInMarket(name: name) {
        case .v1a: self = .v1a
        case .v1b: self = .v1b
        case .v2a: self = .v2a
        case .v2b: self = .v2b
        case nil: return nil
        }
    }

    /// Whether requests may be sent to a URL: over TLS, to this machine, or over plain HTTP if that is accepted.
    ///
    /// The built-in markets show their products to everyone, and only their authors' servers had https.
    ///
    /// `acceptsPlainHTTP` states whether anyone on the network path may read the traffic with a described market.
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
            builtIn: market
        )
    }
}

extension BuiltInMarket {
    package var described: MarketDescription { read.described }

    /// The SHA-256 of the description.
    package var digest: ContentDigest { read.digest }

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

    /// Each description is read once, on first use.
    fileprivate var read: Read {
        Self.reads.withLock { reads in
            let read = reads[self] ?? Read(self)
            reads[self] = read
            return read
        }
    }

    private static let reads = Mutex<[BuiltInMarket: Read]>([:])
}
