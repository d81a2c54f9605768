import OpenMarket
import OpenMarketDescription

/// The protocol of one market: its description, compiled once for each client.
///
/// All differences between markets are in their descriptions. Requests and readers use this type, and never test a
/// market's name. A class, so that pages do not copy it.
final class MarketWire: Sendable {
    let name: String
    let market: MarketDescription
    /// The parameters that a manifest filled in.
    let parameters: [String: String]
    /// Whether members that the description does not name are kept, to see whether an update removes them.
    let keepsMembers: Bool
    /// Reads products: rows, details, replies to writing requests.
    let products: ProductReader
    let pages: PageLayout
    let nextAddress: NextAddress
    /// The market's URL without its trailing slash.
    let base: String
    let details: DetailReader
    let census: ResponseFieldStats
    private let endpoints: [MarketDescription.Operation: Endpoint]
    private let bodies: [MarketDescription.Operation: [BodyPart]]

    /// A text of a product that contains a secret of `mask` is replaced by its digest.
    ///
    /// `parameters` come from a manifest; `base` ends without a slash.
    init(
        _ market: MarketDescription,
        parameters: [String: String] = [:],
        keepingMembers keepsMembers: Bool = true,
        base: String = "http://market.invalid",
        hiding mask: SecretMask = SecretMask([])
    ) {
        name = market.name
        self.market = market
        self.parameters = parameters
        self.keepsMembers = keepsMembers
        self.base = base
        products = ProductReader(market, parameters, hiding: mask)
        census = ResponseFieldStats(market, parameters: parameters)
        pages = PageLayout(market, parameters)
        details = DetailReader(
            products,
            at: market.operations.detail?.product ?? .whole,
            isMissing: market.operations.detail?.missing.contains(.empty) == true,
            market,
            parameters
        )
        let endpoints = market.endpoints
        bodies = Dictionary(
            uniqueKeysWithValues: MarketDescription.Operation.allCases.map { ($0, market.bodyParts(of: $0)) }
        )
        self.endpoints = Dictionary(endpoints.map { ($0.operation, $0) }, uniquingKeysWith: { first, _ in first })
        nextAddress = NextAddress(
            base: base,
            paths: endpoints.filter { $0.operation == .list && $0.hasMarketQuery }.compactMap {
                $0.path.filled(for: .path, parameters.value(of:))
            }
        )
    }

    convenience init(
        _ profile: MarketProfile,
        base: String = "http://market.invalid",
        hiding mask: SecretMask = SecretMask([])
    ) {
        self.init(
            MarketDescription(of: profile),
            parameters: profile.parameters,
            keepingMembers: profile.capabilities.readsBeforeUpdating,
            base: base,
            hiding: mask
        )
    }

    func endpoint(_ operation: MarketDescription.Operation) -> Endpoint? { endpoints[operation] }

    /// The parts of the body of an operation's requests, in the order of the wire.
    func bodyParts(of operation: MarketDescription.Operation) -> [BodyPart] { bodies[operation] ?? [] }

    /// The statuses of a detail request that mean that there is no such product.
    var missingStatuses: [Int] {
        let statuses = (market.operations.detail?.missing ?? []).compactMap {
            if case .status(let status) = $0 { status } else { nil }
        }
        return market.operations.detail?.missing.isEmpty == false ? statuses : [404]
    }

    /// A reader for the product at a position in a reply.
    ///
    /// `isMissing` is whether a reply without a product means that there is no such product.
    func detailReader(at place: JSONPointer, isMissing: Bool) -> DetailReader {
        DetailReader(products, at: place, isMissing: isMissing, market, parameters)
    }
}
