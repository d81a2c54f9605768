@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import SystemPackage
import Testing

/// A state as a file: written whole or not at all, and refused where it is something else.
struct StateDocumentFileTests {
    private static let scope = MarketScope(url: "http://a.example", profile: .v2b, identifier: nil)

    private static func filled(_ count: Int) async throws -> MemoryState {
        let state = MemoryState()
        try await state.holding(scope, for: "test") { held in
            let entries = (0..<count).map { number in
                StateEntry(
                    key: "lamp-\(number)",
                    id: MarketID(Int64(number + 1)),
                    applied: ProductValues(name: "Lamp of s3cret-of-the-shop")
                )
            }
            try await held.apply(entries.map { .put($0) })
        }
        return state
    }

    @Test func `a file has what is exported, piece by piece and without credentials`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/state.jsonl"
        let secrets = [Secret("s3cret-of-the-shop")]
        var pieces: [[UInt8]] = []
        try await Self.filled(2000).reading(Self.scope) { reader in
            try await StateDocument.export(reader) { pieces.append($0) }
            try await KnownSecrets.$current.withValue(KnownSecrets(secrets)) {
                try await StateDocument.export(reader, toFile: file)
            }
        }
        #expect(pieces.count > 1)
        let text = try StateDocument.text(ofFile: file)
        #expect(text.utf8.elementsEqual(pieces.flatMap { SecretMask(secrets).masked(json: $0) }))
        #expect(!text.contains("s3cret-of-the-shop") && text.contains("lamp-1999"))
        #expect(try Stat(FilePath(file)).permissions == .ownerReadWrite)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] as [[UInt8]])
    func `bytes that are no text are refused, and not repaired`(bytes: [UInt8]) async throws {
        let folder = try TemporaryDirectory()
        var document: [UInt8] = []
        try await Self.filled(1).reading(Self.scope) { reader in
            try await StateDocument.export(reader) { document += $0 }
        }
        let place = try #require(document.lastIndex(of: UInt8(ascii: "L")))
        document.replaceSubrange(place...place, with: bytes)
        let file = try folder.write("state.jsonl", document)
        let error = #expect(throws: StateError.self) { try StateDocument.text(ofFile: file) }
        #expect(error?.code == .input)
    }

    @Test func `a state that knows nothing makes no file, and leaves the one that is there`() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("state.jsonl", "earlier\n")
        let error = await #expect(throws: StateError.self) {
            try await MemoryState().reading(Self.scope) { reader in
                try await StateDocument.export(reader, toFile: file)
            }
        }
        #expect(error?.code == .missing)
        #expect(try folder.read("state.jsonl") == Array("earlier\n".utf8))
        #expect(FileSystem.names(in: folder.path) == ["state.jsonl"])
    }

    @Test func `a file of a known kind is not an exported state`() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("state.jsonl", SmallPicture.png(1))
        let error = #expect(throws: StateError.self) { try StateDocument.text(ofFile: file) }
        #expect(error?.message.hasPrefix("\(file) is a ") == true)
        #expect(error?.message.hasSuffix(", and not an exported state") == true)
        #expect(throws: FileError.self) { try StateDocument.text(ofFile: folder.path + "/missing") }
    }
}
