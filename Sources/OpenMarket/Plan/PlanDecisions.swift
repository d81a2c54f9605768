/// What a person decided about the operations of a saved plan, as a document.
package struct PlanDecisions: DocumentRecord, Hashable, Sendable {
    package enum Verdict: String, DocumentCodable, Sendable {
        case approve
        case reject
    }

    /// An operation of a plan, or a renamed key.
    package struct Item: Hashable, Sendable {
        /// The SHA-256 of its document.
        package var digest: ContentDigest
        package var key: String
        package var action: String

        package init(digest: ContentDigest, key: String, action: String) {
            self.digest = digest
            self.key = key
            self.action = action
        }
    }

    struct Decision: DocumentRecord, Hashable, Sendable {
        var item = Item(digest: .zero, key: "", action: "")
        var verdict = Verdict.reject
        /// For readers.
        var note: String?

        static var blank: Decision { Decision() }

        mutating func describe(_ members: inout DocumentMembers) {
            members.digest("operation", &item.digest)
            members.key("key", &item.key)
            members.required("action", &item.action)
            members.required("decision", &verdict)
            members.optional("note", &note)
        }
    }

    private static let formatVersion = 1

    /// The content digest of the plan.
    package private(set) var plan = ContentDigest.zero
    /// Who decided; a claim.
    package private(set) var by = ""
    /// The verdict on operations without their own decision.
    private var others = Verdict.reject
    private(set) var decisions: [Decision] = []

    package static var blank: PlanDecisions { PlanDecisions() }

    package mutating func describe(_ members: inout DocumentMembers) {
        var version = Self.formatVersion
        members.required("format_version", &version)
        if version != Self.formatVersion { members.refuse("is not \(Self.formatVersion)", at: "format_version") }
        members.digest("plan", &plan)
        members.required("by", &by)
        if by.trimmed.isEmpty { members.refuse("is empty", at: "by") }
        members.required("others", &others)
        members.required("decisions", &decisions)
    }
}

extension PlanDecisions {
    package init(bytes: [UInt8]) throws(DocumentError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(unambiguous: Array(bytes.withoutUTF8Mark))
        } catch {
            throw DocumentError("not JSON: \(error)", at: "")
        }
        try self.init(document: DocumentValue(value, at: ""))
    }

    /// The verdicts by key, to select a plan: all operations of a product go together.
    ///
    /// `items` has all that the plan does. Throws if a decision is not about one of them, or contradicts another.
    package func verdicts(on items: [Item]) throws(DocumentError) -> (String) -> Verdict {
        let known = Dictionary(items.map { ($0.digest, $0) }) { first, _ in first }
        var seen: Set<ContentDigest> = []
        var verdicts: [String: Verdict] = [:]
        for (index, decision) in decisions.enumerated() {
            func refuse(_ message: String, at member: String) throws(DocumentError) -> Never {
                throw DocumentError(message, at: "decisions[\(index)].\(member)")
            }
            guard let item = known[decision.item.digest] else { try refuse("is not in the plan", at: "operation") }
            guard item == decision.item else {
                try refuse("is \(item.action) of '\(item.key)' in the plan", at: "operation")
            }
            guard seen.insert(item.digest).inserted else { try refuse("is decided twice", at: "operation") }
            guard verdicts.updateValue(decision.verdict, forKey: item.key) ?? decision.verdict == decision.verdict
            else { try refuse("contradicts another one on '\(item.key)', which belongs to it", at: "decision") }
        }
        return { [others] key in verdicts[key] ?? others }
    }
}

extension DocumentMembers {
    /// A SHA-256 with its name before it.
    fileprivate mutating func digest(_ name: String, _ digest: inout ContentDigest) {
        var text = "sha256:\(digest)"
        required(name, &text)
        guard isReading else { return }
        guard let read = ContentDigest(named: text) else {
            return refuse("is not sha256: and 64 hexadecimal digits", at: name)
        }
        digest = read
    }
}
