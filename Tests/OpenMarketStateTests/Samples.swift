@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization

/// Values that the tests of this target share.
enum Samples {
    static let staging = MarketScope(url: "http://127.0.0.1:8080", profile: .v2b, identifier: digest(1))
    static let production = MarketScope(url: "https://openmarket.example", profile: .v2b, identifier: digest(1))
    static let noIdentifier = MarketScope(url: "http://127.0.0.1:8080", profile: .v1b, identifier: nil)

    static func digest(_ byte: UInt8) -> ContentDigest {
        ContentDigest(bytes: [UInt8](repeating: byte, count: 32))
    }

    static let picture = Picture(
        path: "images/lamp.jpg",
        file: "/shop/images/lamp.jpg",
        digest: digest(2),
        byteCount: 12345,
        format: .jpeg,
        width: 640,
        height: 480
    )

    /// Every field in use, with texts that a column or a line could trip over.
    static let lamp = StateEntry(
        key: "desk-lamp",
        id: 193,
        vendorID: 29,
        applied: ProductValues(
            name: "Desk lamp \"warm\" 탁상등",
            description: "Warm light,\ntwo arms. \\n stays \\n",
            price: 35000,
            currency: .krw,
            sale: .price(31500),
            stock: 12,
            images: [.digest(digest(2)), .unknown("a\nb\\c")],
            thumbnail: .digest(digest(2))
        ),
        shown: ProductValues(description: "<p>Warm light,<br>two arms.</p>"),
        images: [
            .init(digest: digest(2), reference: "352"),
            .init(digest: digest(3), reference: "https://images.example/a b\n.png"),
        ],
        thumbnailURL: "https://images.example/thumb/352.png",
        issuedAt: "2022-10-01T00:00:00.00",
        secret: .environment("LAMP_SECRET"),
        isProtected: true
    )

    /// Nothing managed but what an entry must have.
    static let bare = StateEntry(key: "bare", id: 7, applied: ProductValues())

    /// Empty is not the same as unknown.
    static let empty = StateEntry(
        key: "empty",
        id: 8,
        applied: ProductValues(name: "", price: ExactDecimal("16.99"), sale: Sale.fullPrice, images: []),
        images: [],
        secret: .file("/run/secrets/a:b")
    )

    static func run(_ name: String) -> RunRecord {
        RunRecord(id: RunID(rawValue: name), manifest: digest(9), tool: "1.0.0")
    }

    static func operation(_ action: PlannedOperation.Action, _ key: String, id: MarketID = 5) -> PlannedOperation {
        let changes = [
            FieldChange(field: .price, kind: .change, base: nil, live: .number(1), manifest: .number(35000))
        ]
        let product = NewProduct(values: lamp.applied)
        let work: PlannedOperation.Work =
            switch action {
            case .adopt: .adopt(StateEntry(key: key, id: id, applied: lamp.applied), name: "Lamp")
            case .create: .create(product)
            case .update: .update(.init(id: id, changes: changes, desired: lamp.applied, live: ProductValues()))
            case .replace: .replace(.init(id: id, changes: changes, product: product, live: ProductValues()))
            case .delete: .delete(.init(id: id, live: ProductValues()))
            case .forget: .forget(id, name: "Lamp")
            case .rename: .rename(id, name: "Lamp")
            }
        var operation = PlannedOperation(
            key: key,
            reason: "new in the manifest",
            source: SourceLocation(file: "openmarket.yaml", position: SourcePosition(line: 3, column: 5)),
            secret: .environment("LAMP_SECRET"),
            work: work
        )
        if action == .rename { operation.renamedFrom = "lamp-old" }
        return operation
    }
}

/// A wall clock that is constant until it is set.
final class TestTime: Sendable {
    private let moment = Mutex(Timestamp(milliseconds: 1000))

    var now: Timestamp { moment.withLock { $0 } }

    func set(_ milliseconds: Int64) {
        moment.withLock { $0 = Timestamp(milliseconds: milliseconds) }
    }
}

extension StateReader {
    /// All products by key.
    func entries() async throws -> [StateEntry] {
        try await snapshot().entries.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
