@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The one form in which operations are shown, saved and journalled.
struct OperationDocumentTests {
    private static let picture = Picture(
        path: "images/a.png",
        file: "/shop/images/a.png",
        digest: digest(1),
        byteCount: 9,
        format: .png,
        width: 3,
        height: 2
    )
    private static let text = """
        {"action":"update","key":"lamp","id":7,"name":"Lamp","reason":"changed in the manifest",\
        "source":{"file":"shop.yaml","line":3,"column":5},\
        "changes":[{"field":"price","kind":"drift","base":100,"live":90,"manifest":100},\
        {"field":"sale_price","kind":"change","base":80,"live":80,"shown":false,"manifest":null},\
        {"field":"images","kind":"change","live":["reference:u/1"],"manifest":["sha256:DIGEST"]}],\
        "unchanged":[{"field":"name","value":"Lamp"},{"field":"description","live":"Warm"},\
        {"field":"stock","live":3,"manifest":10,"ignored":true}],\
        "pictures":[{"path":"images/a.png","file":"/shop/images/a.png","bytes":9,"sha256":"DIGEST","format":"png",\
        "width":3,"height":2}],"thumbnail_id":11,"former_key":"old",\
        "live_pictures":{"thumbnail":"t/1","images":[{"id":11,"url":"u/1"}]},"protected":true,"secret":"env:LAMP"}
        """.replacing("DIGEST", with: digest(1).hexadecimal)

    private static let operation = PlannedOperation(
        key: "lamp",
        reason: "changed in the manifest",
        source: SourceLocation(file: "shop.yaml", position: SourcePosition(line: 3, column: 5)),
        secret: .environment("LAMP"),
        work: .update(
            PlannedOperation.Update(
                id: MarketID(7),
                changes: [
                    FieldChange(
                        field: .price,
                        kind: .drift,
                        base: .number(100),
                        live: .number(90),
                        manifest: .number(100)
                    ),
                    FieldChange(
                        field: .salePrice,
                        kind: .change,
                        base: .sale(.price(80)),
                        live: .sale(.price(80)),
                        manifest: .sale(.fullPrice)
                    ),
                    FieldChange(
                        field: .images,
                        kind: .change,
                        base: nil,
                        live: .images([.unknown("u/1")]),
                        manifest: .images([.digest(digest(1))])
                    ),
                ],
                desired: ProductValues(
                    name: "Lamp",
                    price: 100,
                    sale: Sale.fullPrice,
                    stock: 10,
                    images: [.digest(digest(1))]
                ),
                ignored: [.stock],
                live: ProductValues(
                    name: "Lamp",
                    description: "Warm",
                    price: 90,
                    stock: 3,
                    images: [.unknown("u/1")]
                ),
                livePictures: LivePictures(thumbnailURL: "t/1", images: [.init(id: 11, url: "u/1")]),
                pictures: [picture],
                thumbnailImageID: 11,
                formerKey: "old",
                isProtected: true
            )
        )
    )

    @Test func `what is shown is what is executed: each value is there once, and is read back`() throws {
        let bytes = OperationDocument(Self.operation, picture: \.document).document.bytes()
        #expect(String(decoding: bytes, as: UTF8.self) == Self.text)
        #expect(try read(Self.text) == Self.operation)
    }

    /// A fault that is put into the document, and what the reader says of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        var old: String
        var new: String
        var message: String
        var testDescription: String { message }
    }

    @Test(arguments: [
        Fault(old: #""key""#, new: #""kee""#, message: "key is missing; 'kee' looks like it"),
        Fault(old: #""id":7"#, new: #""ids":7"#, message: "id is missing; 'ids' looks like it"),
        Fault(old: #""reason""#, new: #""why":1,"reason""#, message: "why is unknown to this version"),
        Fault(old: #""update""#, new: #""destroy""#, message: "action is 'destroy', which is unknown to this version"),
        Fault(
            old: #""drift""#,
            new: #""drifted""#,
            message: "changes[0].kind is 'drifted', which is unknown to this version"
        ),
        Fault(old: #""live":90"#, new: #""live":"90""#, message: "changes[0].live is not a number"),
        Fault(
            old: #""shown":false"#,
            new: #""seen":false"#,
            message: "changes[1].seen is unknown to this version"
        ),
        Fault(old: #""name":"Lamp""#, new: #""name":"Desk""#, message: "name differs from the fields"),
        Fault(
            old: #"{"field":"name","value""#,
            new: #"{"field":"price","value""#,
            message: "unchanged[0].value is not a number"
        ),
        Fault(
            old: #"{"field":"stock","live":3,"manifest":10"#,
            new: #"{"field":"price","live":3"#,
            message: "has the field price twice"
        ),
        Fault(
            old: #""value":"Lamp""#,
            new: #""value":"Lamp","live":"Desk""#,
            message: "unchanged[0] has several values"
        ),
        Fault(old: #""update""#, new: #""delete""#, message: "live is missing"),
        Fault(old: #""bytes":9"#, new: #""bytes":9.5"#, message: "pictures[0].bytes is not a whole number"),
        Fault(old: "env:LAMP", new: "hunter2", message: "secret is not a reference to a secret"),
    ])
    func `what this version does not know, or what contradicts itself, is refused with its place`(fault: Fault) {
        let text = Self.text.replacing(fault.old, with: fault.new, maxReplacements: 1)
        #expect(text != Self.text)
        let error = #expect(throws: DocumentError.self) { try read(text) }
        #expect(error.map { $0.place.isEmpty ? $0.message : "\($0.place) \($0.message)" } == fault.message)
    }

    @Test func `an operation cannot show changes that it does not make`() throws {
        let delete = #"{"action":"delete","key":"k","id":7,"reason":"r","changes":[],"live":{}}"#
        #expect(try read(delete).action == .delete)
        let change = #"[{"field":"stock","kind":"change","live":3,"manifest":9}]"#
        for text in [
            delete.replacing("[]", with: change),
            #"{"action":"create","key":"k","reason":"r","changes":CHANGE}"#.replacing("CHANGE", with: change),
        ] {
            let error = #expect(throws: DocumentError.self) { try read(text) }
            #expect(error == DocumentError("do not match the operation", at: "changes"))
        }
    }

    private func read(_ text: String) throws -> PlannedOperation {
        try PlannedOperation(document: DocumentValue(JSONValue.parse(Array(text.utf8)), at: ""))
    }
}

extension PlannedOperation {
    /// The operation as it is read from the bytes of its document.
    var readBack: PlannedOperation {
        get throws {
            let bytes = OperationDocument(self, picture: \.document).document.bytes()
            return try PlannedOperation(document: DocumentValue(JSONValue.parse(bytes), at: "operation"))
        }
    }
}
