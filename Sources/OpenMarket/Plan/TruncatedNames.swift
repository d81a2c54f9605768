/// Finds products that may be a listing whose name the market truncated.
///
/// The name alone does not suffice: `Chair` need not be `Chair, oak`. The description must agree too, or else the
/// price.
struct TruncatedNames {
    enum Evidence {
        /// Only the beginning of the name.
        case name
        /// Also the beginning of the description, or the price without one.
        case detail
    }

    private var products: [String: [LiveProduct]]
    /// Lengths of the products' names in Unicode scalars, in descending order.
    private var lengths: [Int]

    /// Products with a listing's whole name are left out.
    init(_ products: some Sequence<LiveProduct>, except names: Set<String>) {
        let known = products.filter { $0.name.map { !$0.isEmpty && !names.contains($0) } ?? false }
        self.products = Dictionary(grouping: known) { $0.name ?? "" }
        lengths = Set(known.map { $0.name?.unicodeScalars.count ?? 0 }).sorted(by: >)
    }

    /// The products that a listing may be, in order.
    func candidates(for values: ProductValues, by evidence: Evidence) -> [MarketID] {
        guard !lengths.isEmpty, let name = values.name else { return [] }
        let scalars = name.unicodeScalars
        let length = scalars.count
        let begun = lengths.drop { $0 >= length }
            .flatMap { products[String(String.UnicodeScalarView(scalars.prefix($0)))] ?? [] }
        return begun.filter { Self.agrees($0, with: values, by: evidence) }.map(\.id).inOrder()
    }

    /// Whether no value of the product except its name contradicts the listing.
    static func agrees(_ product: LiveProduct, with values: ProductValues, by evidence: Evidence) -> Bool {
        guard evidence == .detail else { return true }
        guard let shown = product.description, !shown.isEmpty, let wanted = values.description else {
            return product.price == nil || product.price == values.price
        }
        return shown.isBeginning(of: wanted)
    }
}

extension String {
    func isBeginning(of text: String) -> Bool {
        // A cut between the scalars of a character changes the character.
        text.hasPrefix(self) || text.unicodeScalars.starts(with: unicodeScalars)
    }
}
