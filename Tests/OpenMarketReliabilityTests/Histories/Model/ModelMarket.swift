import Foundation
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A market on the wire for one profile, written for tests only from what is known of it
/// (docs/reference/open-market-versions.md): requests in, replies out.
///
/// A value, so that a database can be put back as it was. Honest by itself: what goes wrong on the way is
/// ``ModelNetwork``'s.
struct ModelMarket: Sendable {
    static let base = "http://market.test"
    static let identifier = "00000000-0000-11ed-0000-000000000000"
    static let secret = "s3cret&=#"

    /// What a request did, for the judge.
    enum Effect: Sendable {
        case created(ModelProduct)
        case changed(before: ModelProduct, after: ModelProduct)
        case deleted(ModelProduct)
        /// A writing request for a product of another vendor's.
        case trespassed(Int, String)
    }

    let profile: MarketProfile
    var habits: ModelHabits
    var products: [Int: ModelProduct] = [:]
    var nextID: Int
    var nextPicture = 1
    /// Our number as a vendor (v2).
    var ourVendor = 29
    /// What was handed out for deletes, and for which product.
    var deleteKeys: [String: Int] = [:]
    /// What the requests since the last look did.
    var effects: [Effect] = []

    init(_ profile: MarketProfile, habits: ModelHabits = .plain, firstID: Int = 1) {
        self.profile = profile
        self.habits = habits
        nextID = firstID
    }

    var isV1: Bool { profile == .v1a || profile == .v1b }
    var ours: [ModelProduct] { products.values.filter(\.isOurs).sorted { $0.id < $1.id } }
    var others: [ModelProduct] { products.values.filter { !$0.isOurs }.sorted { $0.id < $1.id } }

    /// Whether a request could change anything.
    static func isWriting(_ request: ModelRequest) -> Bool { request.method != "GET" }

    /// Answers a request at a time since the history's start.
    ///
    /// The day is of the market's own calendar, in days since 1970. What is open is drawn from the dice.
    mutating func answer(
        _ request: ModelRequest,
        at now: Duration,
        day: Int,
        dice: inout SeededGenerator
    ) -> ModelReply {
        if request.method == "GET", request.path.hasPrefix("/media/") { return picture(request.path) }
        return isV1
            ? answerV1(request, at: now, day: day, dice: &dice) : answerV2(request, day: day, dice: &dice)
    }

    // MARK: - What both generations share

    /// A product of another vendor's, or of ours by other hands.
    mutating func insert(_ product: ModelProduct) -> Int {
        var product = product
        product.id = nextID
        nextID += 1
        product.pictures = product.pictures.map { stored($0.bytes, fileExtension: $0.fileExtension) }
        products[product.id] = product
        return product.id
    }

    /// The id of a product that a create makes.
    mutating func newID(_ dice: inout SeededGenerator) -> Int {
        let newest = products.keys.max()
        if habits.reusesIDs {
            if let newest, products[newest]?.isOurs == false, Int.random(in: 0..<3, using: &dice) == 0 {
                products[newest] = nil
            }
            nextID = (products.keys.max() ?? 0) + 1
        }
        defer { nextID += 1 }
        return nextID
    }

    mutating func stored(_ bytes: [UInt8], fileExtension: String) -> ModelProduct.Picture {
        defer { nextPicture += 1 }
        return ModelProduct.Picture(
            id: nextPicture,
            stem: "00000000000011ed0000\(String(nextPicture + 4096, radix: 16))",
            fileExtension: fileExtension,
            bytes: bytes
        )
    }

    /// A text as the database keeps it.
    func stored(_ text: String) -> String {
        switch habits.texts {
        case .asSent: text
        case .composed: text.precomposedStringWithCanonicalMapping
        case .decomposed: text.decomposedStringWithCanonicalMapping
        case .cut(let length): String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
        }
    }

    func storedName(_ name: String) -> String { stored(habits.names?.of(name) ?? name) }

    func id(_ id: Int) -> JSONValue { habits.idsAreTexts ? .string(String(id)) : .integer(id) }

    func ordered(_ value: JSONValue, _ dice: inout SeededGenerator) -> JSONValue {
        guard habits.shufflesMembers, case .object(let members) = value else { return value }
        return .object(members.shuffled(using: &dice))
    }

    private func picture(_ path: String) -> ModelReply {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let stem = name.prefix { $0 != "." && $0 != "_" }
        for product in products.values {
            guard let picture = product.pictures.first(where: { $0.stem == stem }) else { continue }
            let bytes = isV1 && habits.transcodesPictures ? picture.bytes + [0] : picture.bytes
            return ModelReply(status: 200, contentType: "image/jpeg", body: bytes)
        }
        return ModelReply(status: 404, contentType: "application/xml", body: Array("<Error/>".utf8))
    }

    func notFound() -> ModelReply {
        switch profile {
        case .v1a: .json(404, .object(of: ("error", .bool(true)), ("reason", .string("Not Found"))))
        case .v1b: .json(404, .object(of: ("message", .string("Not Found"))))
        default: .json(404, .object(of: ("code", .integer(404)), ("message", .string("Not Found"))))
        }
    }

    func bad(_ message: String) -> ModelReply {
        switch profile {
        case .v1a: .json(400, .object(of: ("error", .bool(true)), ("reason", .string(message))))
        default: .json(400, .object(of: ("message", .string(message))))
        }
    }
}

/// The calendar day that a number of days since 1970 is.
func calendarDay(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isLate = month >= 10
    return (
        yearOfEra + era * 400 + (isLate ? 1 : 0), isLate ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1
    )
}
