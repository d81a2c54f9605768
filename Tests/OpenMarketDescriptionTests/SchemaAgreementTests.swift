@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
import YAML

/// The JSON Schema against the loader, judged by a reader of JSON Schema that is not ours.
struct SchemaAgreementTests {
    @Test(.enabled("no Python with PyYAML and jsonschema here") { try await Python.has("yaml", "jsonschema") })
    func `the schema takes and refuses what the loader does`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("schema.json", MarketLanguage.jsonSchema.bytes())
        let spoilt = try SpoiltDescriptions.make(400)
        for (number, one) in spoilt.enumerated() { try folder.write("\(number).json", one.text) }
        for name in DescribedMarkets.names { try folder.write("\(name).yaml", try DescribedMarkets.document(name)) }
        let judged =
            try await Python.json(
                """
                import json, sys, yaml, jsonschema
                schema = json.load(open("schema.json"))
                jsonschema.Draft202012Validator.check_schema(schema)
                judge = jsonschema.Draft202012Validator(schema)
                count = int(sys.argv[1])
                files = [json.load(open(f"{number}.json")) for number in range(count)]
                files += [yaml.safe_load(open(f"{name}.yaml")) for name in sys.argv[2:]]
                print(json.dumps([judge.is_valid(file) for file in files]))
                """,
                ["\(spoilt.count)"] + DescribedMarkets.names,
                folder: folder.path
            ).elements ?? []
        try #require(judged.count == spoilt.count + DescribedMarkets.names.count)
        #expect(judged.suffix(DescribedMarkets.names.count).allSatisfy { $0.truth == true })

        var refused = 0
        for (one, verdict) in zip(spoilt, judged) {
            let faults = MarketDescriptionLoader.load(Array(one.text.utf8)).faults
            refused += faults.isEmpty ? 0 : 1
            // Of a repeated key other readers take the second.
            guard !faults.contains(where: { $0.kind == .text }) else { continue }
            let isMisshapen = faults.contains { $0.kind == .shape }
            #expect(verdict.truth == !isMisshapen, "\(one.name): \(faults)\n\(one.text)")
        }
        #expect(refused > 200)
    }

    @Test func `every fault of a spoilt description has a place and words`() throws {
        for one in try SpoiltDescriptions.make(400) {
            let loaded = MarketDescriptionLoader.load(Array(one.text.utf8))
            #expect((loaded.description == nil) == !loaded.faults.isEmpty)
            for fault in loaded.faults {
                #expect(fault.position != nil && !fault.message.isEmpty, "\(one.name): \(fault)")
            }
        }
    }

    @Test(arguments: DescribedMarkets.names)
    func `a misspelt key is found where it is, and its name is suggested`(_ name: String) throws {
        let tree = try SpoiltDescriptions.tree(name)
        for path in SpoiltDescriptions.paths(in: tree).dropFirst() {
            var spoilt = tree
            var key: String?
            SpoiltDescriptions.edit(&spoilt, at: path) { parent, index in
                guard case .object(var members) = parent else { return }
                key = members[index].name
                members[index].name += "qq"
                parent = .object(members)
            }
            guard let key, MarketLanguage.tables.contains(where: { $0.keys.contains(key) }) else { continue }
            let text = SpoiltDescriptions.text(spoilt)
            let faults = MarketDescriptionLoader.load(Array(text.utf8)).faults
            // The names of parameters, queries and headers are not the language's own.
            guard let unknown = faults.first(where: { $0.message == "unknown key '\(key)qq'" }) else {
                #expect(["parameters", "query"].contains(Self.parent(of: path, in: tree)), "\(key) in \(name)")
                continue
            }
            let column = text.unicodeScalars.count - text.unicodeScalars.drop(upTo: "\"\(key)qq\"")
            #expect(unknown.position == SourcePosition(line: 1, column: UInt32(column + 1)))
            if key.count > 3 { #expect(unknown.help == "did you mean '\(key)'?") }
        }
    }

    /// The name of what holds the value at a place.
    private static func parent(of path: [Int], in tree: JSONValue) -> String {
        var tree = tree
        var name = ""
        for step in path.dropLast() {
            switch tree {
            case .object(let members):
                name = members[step].name
                tree = members[step].value
            case .array(let items): tree = items[step]
            default: return name
            }
        }
        return name
    }
}

extension String.UnicodeScalarView {
    /// How many scalars there are from the first place of a text on.
    fileprivate func drop(upTo text: String) -> Int {
        let wanted = Array(text.unicodeScalars)
        let all = Array(self)
        let start = all.indices.first { all[$0...].starts(with: wanted) } ?? all.endIndex
        return all.count - start
    }
}
