/// Finds products that may be what a market made of a listing of which it stored only the beginning of the name.
///
/// The name alone is too little: `Chair` is not part of `Chair, oak` for that. The description has to agree as well, or the price where none shows.
struct CutNames {
    enum Evidence {
        /// The beginning of the name alone: who may be meant at all.
        case name
        /// Of the rest, what a row of a list shows: the price.
        case row
        /// Of the rest, the beginning of the description, or the price where none shows.
        case detail
    }

    private var products: [String: [LiveProduct]]
    /// The lengths of the products' names in Unicode scalars, the longest first.
    private var lengths: [Int]

    /// Prepares the search.
    ///
    /// - Parameters:
    ///   - products: Those that may be meant.
    ///   - names: Names of listings; a product that has one whole is not looked at.
    init(_ products: some Sequence<LiveProduct>, except names: Set<String>) {
        let known = products.filter { $0.name.map { !$0.isEmpty && !names.contains($0) } ?? false }
        self.products = Dictionary(grouping: known) { $0.name ?? "" }
        lengths = Set(known.map { $0.name?.unicodeScalars.count ?? 0 }).sorted(by: >)
    }

    /// The products that a listing may be.
    ///
    /// - Parameters:
    ///   - values: What the listing wants.
    ///   - evidence: What is compared.
    /// - Returns: The products in order.
    func candidates(for values: ProductValues, by evidence: Evidence) -> [MarketID] {
        guard !lengths.isEmpty, let name = values.name else { return [] }
        let scalars = name.unicodeScalars
        let length = scalars.count
        let begun = lengths.drop { $0 >= length }
            .flatMap { products[String(String.UnicodeScalarView(scalars.prefix($0)))] ?? [] }
        return begun.filter { Self.agrees($0, with: values, by: evidence) }.map(\.id).inOrder()
    }

    /// Whether a product shows nothing but its name that speaks against a listing.
    static func agrees(_ product: LiveProduct, with values: ProductValues, by evidence: Evidence) -> Bool {
        switch evidence {
        case .name: return true
        case .row: return product.price == nil || product.price == values.price
        case .detail:
            guard let shown = product.description, !shown.isEmpty, let wanted = values.description else {
                return agrees(product, with: values, by: .row)
            }
            return shown.isBeginning(of: wanted)
        }
    }
}

extension String {
    /// Whether a text begins with this one, or is this one.
    func isBeginning(of text: String) -> Bool {
        // A cut between the scalars of one character makes another character of it.
        text.hasPrefix(self) || text.unicodeScalars.starts(with: unicodeScalars)
    }
}
