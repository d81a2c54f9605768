import OpenMarket
import OpenMarketDescription

/// How one market is spoken with: its description, compiled once for each client.
///
/// What is peculiar to a market is in its description; requests and readers ask this, and never for a market's name. A
/// class, so that no page copies it.
final class MarketWire: Sendable {
    /// What the market is called in messages.
    let name: String
    /// The description.
    let market: MarketDescription
    /// What a manifest filled in.
    let parameters: [String: String]
    /// The built-in market that this is.
    let builtIn: BuiltInMarket?
    /// Reads products: rows, details, replies to writing requests.
    let products: ProductReader
    /// How pages of the list are read.
    let pages: PageLayout
    /// The addresses that pages give of the pages behind them.
    let nextAddress: NextAddress
    /// The market's URL without its last slash.
    let base: String
    /// Reads the answer to the request for one product.
    let details: DetailReader
    private let endpoints: [MarketDescription.Operation: Endpoint]
    private let writtenFields: [MarketDescription.Operation: [MarketDescription.Fields.Name]]

    /// The wire of a market.
    ///
    /// - Parameters:
    ///   - market: its description.
    ///   - parameters: what a manifest filled in.
    ///   - builtIn: the built-in market that it is.
    ///   - base: its URL without its last slash.
    init(
        _ market: MarketDescription,
        parameters: [String: String] = [:],
        builtIn: BuiltInMarket? = nil,
        base: String = "http://market.invalid"
    ) {
        name = market.name
        self.market = market
        self.parameters = parameters
        self.builtIn = builtIn
        self.base = base
        products = ProductReader(market, parameters)
        pages = PageLayout(market, parameters)
        details = DetailReader(
            products,
            at: market.operations.detail?.product ?? .whole,
            isMissing: market.operations.detail?.missing.contains(.empty) == true,
            market,
            parameters
        )
        let endpoints = market.endpoints
        let fields = market.fields
        let written = endpoints.map { endpoint in
            let names = fields.order.filter { name in
                guard let place = fields.place(of: name) else { return false }
                return place.writing != nil && place.isSaid(by: endpoint.operation)
            }
            return (endpoint.operation, names)
        }
        writtenFields = Dictionary(written) { first, _ in first }
        self.endpoints = Dictionary(endpoints.map { ($0.operation, $0) }, uniquingKeysWith: { first, _ in first })
        nextAddress = NextAddress(
            base: base,
            paths: endpoints.filter { $0.operation == .list && $0.hasMarketQuery }.compactMap {
                $0.path.filled(for: .path, parameters.value(of:))
            }
        )
    }

    /// The wire of a profile.
    convenience init(_ profile: MarketProfile, base: String = "http://market.invalid") {
        self.init(
            MarketDescription(of: profile),
            parameters: profile.parameters,
            builtIn: profile.isBuiltIn ? BuiltInMarket(rawValue: profile.name) : nil,
            base: base
        )
    }

    /// The request of an operation as the description has it; `nil` where there is none.
    func endpoint(_ operation: MarketDescription.Operation) -> Endpoint? { endpoints[operation] }

    /// The fields that requests of an operation can say, in the order of the wire.
    func written(by operation: MarketDescription.Operation) -> [MarketDescription.Fields.Name] {
        writtenFields[operation] ?? []
    }

    /// The statuses by which a detail says that there is no such product.
    var missingStatuses: [Int] {
        let statuses = (market.operations.detail?.missing ?? []).compactMap {
            if case .status(let status) = $0 { status } else { nil }
        }
        return market.operations.detail?.missing.isEmpty == false ? statuses : [404]
    }

    /// Reads the product at a place of an answer.
    ///
    /// - Parameters:
    ///   - place: where the product is in the answer.
    ///   - isMissing: whether an answer without one says that there is no such product.
    /// - Returns: what reads it.
    func detailReader(at place: JSONPointer, isMissing: Bool) -> DetailReader {
        DetailReader(products, at: place, isMissing: isMissing, market, parameters)
    }

    /// The paths before pictures' addresses that are known: a file names no host.
    var pictureFolders: [String] { builtIn?.pictureFolders ?? [] }
}

extension BuiltInMarket {
    /// Where the public deployments keep their pictures: host and folder, because a host of S3 has many owners.
    fileprivate var pictureFolders: [String] {
        switch self {
        case .v1a, .v1b: ["camp-open-market.s3.ap-northeast-2.amazonaws.com/"]
        case .v2a, .v2b: ["s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/"]
        }
    }
}
