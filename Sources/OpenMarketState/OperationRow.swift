import FoundationEssentials
import OpenMarket

/// An operation as the journal keeps it: the document that plans have, in two parts.
struct OperationRow {
    /// What `history` tells, kept for good.
    let payload: String
    /// What settling the operation needs besides, kept until it is over; `nil` when it is.
    let details: String?

    /// The form of the rows; those of versions before 5 name none, see ``OperationPayload``.
    private static let format = 2

    /// Members that are of no use once the operation is over.
    private static let passing: Set<String> = [
        "unchanged", "live", "live_pictures", "entry", "thumbnail_id", "protected", "secret",
    ]

    init(payload: String, details: String?) {
        self.payload = payload
        self.details = details
    }

    init(_ operation: PlannedOperation) {
        // Where pictures changed, `history` names their files.
        let namesPictures = operation.changes.contains { $0.field == .images || $0.field == .thumbnail }
        var lasting = [JSONValue.Member("format", .integer(Self.format))]
        var passing: [JSONValue.Member] = []
        for member in JSONValue(operation, picture: { JSONValue($0) }).members ?? [] {
            if Self.passing.contains(member.name) || member.name == "pictures" && !namesPictures {
                passing.append(member)
            } else {
                lasting.append(member)
            }
        }
        payload = String(decoding: JSONValue.object(lasting).bytes(), as: UTF8.self)
        details = String(decoding: JSONValue.object(passing).bytes(), as: UTF8.self)
    }

    /// The operation; of one that is over what was kept.
    ///
    /// - Throws: when the row does not make one.
    func operation() throws -> PlannedOperation {
        let kept = try JSONValue.parse(Array(payload.utf8))
        guard kept["format"] != nil else { return try oldOperation() }
        guard kept["format"] == .integer(Self.format) else { throw DocumentError("is not known", at: "format") }
        let rest = try details.map { try JSONValue.parse(Array($0.utf8)) } ?? Self.rest(of: kept)
        let members = (kept.members ?? []).filter { $0.name != "format" } + (rest.members ?? [])
        return try DocumentRead.operation(DocumentValue(.object(members), at: ""), picture: DocumentRead.file)
    }

    /// What stands in for the details that went when the operation was over.
    private static func rest(of kept: JSONValue) -> JSONValue {
        switch kept["action"]?.text {
        case "adopt": .object(of: ("entry", .object(of: ("key", kept["key"]), ("id", kept["id"]))))
        case "update", "replace":
            .object(of: ("unchanged", .array(changesName(kept) ? [] : [name(kept)].compactMap(\.self))))
        case "delete": .object(of: ("live", .object(of: ("name", kept["name"]))))
        default: .object([])
        }
    }

    private static func changesName(_ kept: JSONValue) -> Bool {
        (kept["changes"]?.elements ?? []).contains { $0["field"] == .string("name") }
    }

    private static func name(_ kept: JSONValue) -> JSONValue? {
        kept["name"].map { .object(of: ("field", .string("name")), ("live", $0)) }
    }

    private func oldOperation() throws -> PlannedOperation {
        let decoder = JSONDecoder()
        let bytes = Data(payload.utf8)
        // Before version 2 both were one.
        let details = try decoder.decode(OperationDetails.self, from: details.map { Data($0.utf8) } ?? bytes)
        return try decoder.decode(OperationPayload.self, from: bytes).operation(details)
    }
}
