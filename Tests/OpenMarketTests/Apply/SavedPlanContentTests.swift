@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// An approval is bound to all that carrying a saved plan out uses.
struct SavedPlanContentTests {
    /// Members that an approval does not cover, and why that is so; `*` stands for any index.
    static let uncovered = [
        "tool": "which version wrote it is only shown",
        "unresolved": "how much earlier runs left open is only shown; apply finds out itself",
        "diagnostics": "warnings are only shown, an error forbids saving",
        "operations.*.source": "the manifest's line, for messages",
    ]

    /// A plan with every kind of operation and what goes with it.
    private static func plan() throws -> SavedPlan {
        try EveryAction.planned { market in
            for product in market.ours where product.name == "Product quiet" {
                market.edit(product.id) { $0.stock = 3 }
            }
        } _: { saved, _ in
            var saved = saved
            saved.plan.namesakes = KnownNamesakes(
                vendorID: 29,
                others: [MarketID(106)],
                contested: ["made"],
                unreadRows: 2
            )
            saved.plan.stateUpdates += [
                .vendor(29), .remove(key: "x"), .release(key: "y", id: MarketID(3)),
                .origin("shop.yaml", keys: ["x", "y"]),
            ]
            saved.unresolved = 2
            return saved
        }
    }

    /// Every member of a document, with the document in which that one alone is another.
    private static func edits(_ value: JSONValue, at path: String = "") -> [(path: String, edited: JSONValue)] {
        var edits: [(String, JSONValue)] = []
        switch value {
        case .object(let members):
            for (index, member) in members.enumerated() {
                let place = path.isEmpty ? member.name : "\(path).\(member.name)"
                for (inner, edited) in Self.edits(member.value, at: place) {
                    var copy = members
                    copy[index].value = edited
                    edits.append((inner, .object(copy)))
                }
                var without = members
                without.remove(at: index)
                edits.append((place, .object(without)))
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let place = "\(path).\(index)"
                for (inner, edited) in Self.edits(element, at: place) {
                    var copy = elements
                    copy[index] = edited
                    edits.append((inner, .array(copy)))
                }
                var without = elements
                without.remove(at: index)
                edits.append((place, .array(without)))
                edits.append((place, .array(elements + [element])))
            }
        case .string(let text):
            edits.append((path, .string(text + "x")))
            // Digests are of one length, and numbers in texts have to stay numbers.
            if let last = text.last {
                edits.append((path, .string(String(text.dropLast()) + (last == "1" ? "2" : "1"))))
            }
            edits.append((path, .string("env:AWS_SECRET_ACCESS_KEY")))
            edits.append((path, .string("elsewhere/" + text)))
        case .number: edits.append((path, .integer((value.integer ?? 0) + 1)))
        case .bool(let truth): edits.append((path, .bool(!truth)))
        case .null, .unrepresentableNumber: edits.append((path, .integer(1)))
        }
        return edits
    }

    private static func isUncovered(_ path: String) -> Bool {
        let parts = path.split(separator: ".")
        return uncovered.keys.contains { pattern in
            let wanted = pattern.split(separator: ".")
            return wanted.count <= parts.count && zip(wanted, parts).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    @Test func `each member that is edited makes another plan, or none`() throws {
        let saved = try Self.plan()
        let bytes = saved.bytes(in: "/shop")
        let document = try JSONValue.parse(bytes)
        let content = try SavedPlan(bytes: bytes, in: "/shop").content
        #expect(content == saved.content, "reading changes nothing that counts")
        #expect(Set(saved.plan.operations.map(\.action)) == Set(PlannedOperation.Action.allCases))
        var taken = 0
        var places: Set<String> = []
        for (path, edited) in Self.edits(document) where edited != document {
            places.insert(path)
            guard let read = try? SavedPlan(bytes: edited.bytes(), in: "/shop") else { continue }
            taken += 1
            guard Self.isUncovered(path) else {
                #expect(read.content != content, "\(path)")
                continue
            }
            #expect(read.content == content, "\(path)")
            // What is not covered does not reach what is carried out.
            var same = read
            (same.tool, same.unresolved) = (saved.tool, saved.unresolved)
            let again = try JSONValue.parse(same.bytes(in: "/shop"))
            func carriedOut(_ value: JSONValue?) -> [JSONValue] {
                (value?["operations"]?.elements ?? []).map { operation in
                    .object((operation.members ?? []).filter { $0.name != "source" })
                } + [value?["apply"] ?? .null, value?["market"] ?? .null, value?["pictures"] ?? .null]
            }
            #expect(carriedOut(again) == carriedOut(document), "\(path)")
        }
        #expect(taken > 200)
        for member in [
            "apply.identifier", "apply.secret", "apply.identifier_sha256", "apply.picture_hosts.0", "apply.state",
            "apply.known.products", "apply.known.ids", "apply.known.last_run", "apply.namesakes.vendor_id",
            "apply.namesakes.others.0", "apply.namesakes.contested.0", "apply.namesakes.unread_rows",
            "apply.state_updates.0", "manifest.sha256",
            "manifest.files.0", "pictures.0.path", "pictures.0.file", "market.url",
        ] {
            #expect(
                places.contains(member) || places.contains { $0.hasPrefix(member + ".") },
                "\(member) is in the document"
            )
        }
    }

    /// A document in which an operation that makes a product is another one.
    private static func document(_ document: JSONValue, making change: (inout [JSONValue.Member]) -> Void) -> JSONValue
    {
        guard var members = document.members, let index = members.firstIndex(where: { $0.name == "operations" }),
            var operations = members[index].value.elements,
            let place = operations.firstIndex(where: { $0["key"]?.text == "made" }),
            var operation = operations[place].members
        else { return document }
        change(&operation)
        operations[place] = .object(operation)
        members[index].value = .array(operations)
        return .object(members)
    }

    @Test(
        arguments: [
            ("name", JSONValue.string("\u{200B}"), "has no visible character"),
            ("name", .string("ab\u{FFFD}\u{FFFD}"), "has lost characters"),
            ("name", .string("a\nb"), "holds a control character"),
            ("currency", .string("KRWx"), "is not a code of ISO 4217"),
            ("key", .string("a\nb"), "has a line break"), ("description", .string(""), nil),
        ] as [(String, JSONValue, String?)]
    )
    func `a plan asks for nothing that no manifest may ask for`(member: String, value: JSONValue, fault: String?) throws
    {
        let edited = Self.document(try Self.plan().document(forApply: true, in: "/shop")) { members in
            for index in members.indices {
                switch (members[index].name, members[index].value) {
                case ("changes", .array(let changes)):
                    members[index].value = .array(
                        changes.map { change in
                            guard change["field"]?.text == member, let parts = change.members else { return change }
                            return .object(parts.map { $0.name == "manifest" ? .init($0.name, value) : $0 })
                        }
                    )
                case (member, _) where ["key", "name"].contains(member): members[index].value = value
                default: break
                }
            }
        }
        do throws(CommandFailure) {
            _ = try SavedPlan(bytes: edited.bytes(), in: "/shop")
            #expect(fault == nil)
        } catch {
            #expect(fault.map { error.description.contains(".\(member) \($0)") } ?? false, "\(error.description)")
        }
    }

    @Test(arguments: [true, false])
    func `a replace gives its product lost characters only where the market has them already`(isKept: Bool) throws {
        var saved = try Self.plan()
        let index = try #require(saved.plan.operations.firstIndex { $0.action == .replace })
        var replacement = try #require(saved.plan.operations[index].replacement)
        replacement.product.values.name = "Caf\u{FFFD} lamp"
        if isKept { replacement.live.name = replacement.product.values.name }
        saved.plan.operations[index].work = .replace(replacement)
        do throws(CommandFailure) {
            let read = try SavedPlan(bytes: saved.bytes(in: "/shop"), in: "/shop")
            #expect(isKept && read.plan.operations[index].replacement == replacement)
        } catch {
            #expect(!isKept && error.description.contains("].name has lost characters"), "\(error.description)")
        }
    }

    @Test func `a plan sends the pictures that it shows`() throws {
        let edited = Self.document(try Self.plan().document(forApply: true, in: "/shop")) { members in
            for index in members.indices where members[index].name == "pictures" {
                members[index].value = .array((members[index].value.elements ?? []).reversed())
            }
        }
        let error = #expect(throws: CommandFailure.self) { try SavedPlan(bytes: edited.bytes(), in: "/shop") }
        let message = error?.description ?? "read"
        #expect(message.hasSuffix(".pictures are not those of the field images"), "\(message)")
    }

    @Test func `a plan has one product for each key`() throws {
        var saved = try Self.plan()
        saved.plan.operations += saved.plan.operations.filter { $0.key == "made" }
        let bytes = saved.bytes(in: "/shop")
        let error = #expect(throws: CommandFailure.self) { try SavedPlan(bytes: bytes, in: "/shop") }
        #expect(
            error?.description.contains("is the second one that gives the key 'made' a product") == true,
            "\(error?.description ?? "")"
        )
    }

    @Test func `what is written operation by operation is the document`() throws {
        let saved = try Self.plan()
        let document = saved.document(forApply: true, in: "/shop")
        #expect(try JSONValue.parse(saved.bytes(in: "/shop")) == document)
        var members = (document.members ?? []).filter { Self.uncovered[$0.name] == nil }
        let place = try #require(members.firstIndex { $0.name == "operations" })
        members[place].value = .array(
            (members[place].value.elements ?? []).map { operation in
                .object((operation.members ?? []).filter { $0.name != "source" })
            }
        )
        #expect(try JSONValue.parse(saved.content) == .object(members))
    }

    @Test func `a price that no manifest may ask for is not carried out`() throws {
        let text = String(decoding: try Self.plan().bytes(in: "/shop"), as: UTF8.self)
        let forged = text.replacing("\"manifest\":150", with: "\"manifest\":-5")
        #expect(forged != text)
        let error = #expect(throws: CommandFailure.self) { try SavedPlan(bytes: Array(forged.utf8), in: "/shop") }
        #expect(error?.help == CommandFailure.unreadablePlan("").help)
        #expect(error?.description.hasSuffix(".price is negative") ?? false, "\(error?.description ?? "")")
    }

    @Test func `the same plan in another checkout, or saved elsewhere, is the same`() throws {
        let saved = try Self.plan()
        for (written, read) in [("/shop", "/ci/checkout"), ("/shop/out", "/ci/checkout/out"), ("/", "/ci")] {
            let other = try SavedPlan(bytes: saved.bytes(in: written), in: read)
            #expect(other.content == saved.content, "\(written) read in \(read)")
        }
    }

    @Test func `a member that appears twice is refused`() throws {
        let text = String(decoding: try Self.plan().bytes(in: "/shop"), as: UTF8.self)
        let twice = text.replacing(
            "\"url\":\"http://market\"",
            with: "\"url\":\"http://market\",\"url\":\"http://market\""
        )
        #expect(twice != text)
        #expect(throws: CommandFailure.self) { try SavedPlan(bytes: Array(twice.utf8), in: "/shop") }
    }
}
