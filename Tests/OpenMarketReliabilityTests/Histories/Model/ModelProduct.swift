/// A product as the model's database has it.
struct ModelProduct: Sendable {
    struct Picture: Sendable {
        var id: Int
        /// The last parts of its URLs, without what distinguishes original and thumbnail.
        var stem: String
        var fileExtension: String
        var bytes: [UInt8]
    }

    var id: Int
    /// The vendor's number (v2).
    var vendor: Int
    /// The item's password (v1).
    var password: String
    var name: String
    var description: String?
    var price: Double?
    var currency: String?
    /// As it is on the wire: the sale price on v1, what is taken off on v2.
    var discounted: Double?
    var stock: Int?
    var pictures: [Picture]
    /// Which picture lists show.
    var thumbnail = 0
    /// Days since 1970; lists of v2 are ordered by it.
    var createdDay: Int
    var editedDay: Int
    /// From when on v1 finds it after a write.
    var visibleFrom: Duration = .zero
    /// Who made it: for the judge, never on the wire.
    var maker: Maker

    enum Maker: Sendable, Equatable {
        /// We, by a create whose first picture's file had this name.
        case us(fileName: String)
        case others
    }

    var isOurs: Bool { maker != .others }

    /// What buyers see of its values, for telling whether it was touched.
    var fingerprint: String {
        let texts = [name, description ?? "-", currency ?? "-"].map { Array($0.utf8).description }
        let numbers = [price, discounted, stock.map(Double.init)].map { $0.map { "\($0)" } ?? "-" }
        return (texts + numbers + pictures.map { "\($0.id)" } + ["\(thumbnail)"]).joined(separator: " ")
    }
}
