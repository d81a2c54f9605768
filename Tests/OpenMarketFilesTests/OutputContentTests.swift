import FoundationEssentials
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing

/// A file is replaced by one of its own kind only, whatever it is called, and no name says another kind.
struct OutputContentTests {
    /// How files of a kind begin, as the tool and as programs that people use write them.
    private static func samples(of content: OutputContent) -> [[UInt8]] {
        func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
        func database(_ application: [UInt8]) -> [UInt8] {
            var head = Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 84)
            head.replaceSubrange(68..<72, with: application)
            return head
        }
        return switch content {
        case .yaml:
            texts(
                "# Exported by openmarket from http://m, v2b.\n\nmarket:\n  url: http://m\n",
                "\u{FEFF}products: []\n",
                "--- # mine\ndefaults: {currency: KRW}\n",
                "{\"products\": []}\n",
                "market: {url: x}\n"
            )
        case .json: texts("{\n  \"format_version\": 1,\n  \"tool\": \"openmarket 1\"\n}", "{\"format_version\":1}")
        case .certificate:
            texts("{\n  \"format_version\": 1,\n  \"tool\": \"openmarket 1\",\n  \"sha256\": \"00\"\n}")
        case .jsonl:
            texts("{\"id\":3,\"key\":null}\n", "{\"_change\":\"new\"}\n")
        case .state:
            texts(
                "{\"format\":\"openmarket-state\"}\n",
                "{\"format\":\"openmarket-state\",\"format_version\":1,\"url\":\"http://m\"}\n"
            )
        case .csv, .tsv:
            texts(
                "id,key,name\r\n1,a,A\r\n",
                "\u{FEFF}id;key;name\r\n",
                "id\tname\n",
                "sep=;\nid;price;note\n",
                "\"id\",\"name\"\n",
                "_change,_fields,id,price,_old_price\r\n",
                "price\n5\n"
            )
        case .sqlite: [database([0x4F, 0x4D, 0x45, 0x58])]
        case .text: texts("market:   http://m (v2b)\ncontent:  sha256:00\n", "~ 3 a \"A\"\n", "No changes.\n")
        case .markdown: texts("## Plan: 1 to add\n", "## No changes.\n", "## What changed since e.csv\n")
        case .html:
            texts(
                "<!doctype html>\n<meta content=\"default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-0&#39;\">"
            )
        case .sarif: texts("{\n  \"$schema\": \"https://x/sarif.json\",\n  \"name\": \"openmarket\"\n}")
        case .diff: texts("--- a/m.yaml\n+++ b/m.yaml\n@@ -1 +1 @@\n")
        case .pictureNames: texts("http://h/x.png\nb.jpg\n", "a.PNG\n")
        case .checkedByReader: [database([0x4F, 0x50, 0x4D, 0x53])]
        }
    }

    /// What a person or another program keeps.
    private static let foreign: [[UInt8]] = [
        SmallPicture.png(1), [0xFF, 0xD8, 0xFF, 0xE0], Array("%PDF-1.7\n".utf8), [0x50, 0x4B, 3, 4, 0, 0],
        Array("sec-29-abcdef\n".utf8), Array("Call the printer\n- paper\n".utf8), Array("{\"name\": \"app\"}".utf8),
        Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 100), Array("a,b,c\n1,2,3\n".utf8),
        Array("Handle,Title,Variant Price\nx,X,5\n".utf8), Array("<!doctype html><title>Mine</title>".utf8),
        Array("# My notes\n\ntext: yes\n".utf8), [0],
    ]

    /// Kinds whose files are also those of another.
    private static func alsoReplaces(_ content: OutputContent, _ other: OutputContent) -> Bool {
        switch (content, other) {
        case (.csv, .tsv), (.tsv, .csv), (.json, .certificate), (.text, .html): true
        default: content == other
        }
    }

    private static func write(_ bytes: [UInt8], as content: OutputContent, over folder: borrowing TemporaryDirectory)
        throws
    {
        try folder.write("file", bytes)
        let path = folder.path + "/file"
        try FileRegister.$current.withValue(FileRegister()) {
            try FileRegister.current.declare(path, named: "--out", as: content)
            try AtomicFile.write(Array("new".utf8), to: path)
        }
    }

    @Test(arguments: OutputContent.allCases.filter { $0 != .checkedByReader })
    func `a file is replaced by one of its own kind, and by no other`(content: OutputContent) throws {
        let folder = try TemporaryDirectory()
        for own in Self.samples(of: content) + [[]] { try Self.write(own, as: content, over: folder) }
        for other in OutputContent.allCases where !Self.alsoReplaces(content, other) {
            for sample in Self.samples(of: other) {
                // JSON is YAML, and only its members say what it is.
                if content == .yaml, other != .state, sample.first == UInt8(ascii: "{") { continue }
                #expect(throws: FileConflict.self, "\(content) over \(other)") {
                    try Self.write(sample, as: content, over: folder)
                }
                #expect(try folder.read("file") == sample, "\(content) over \(other)")
            }
        }
        for sample in Self.foreign where !(content == .yaml && sample.first == UInt8(ascii: "{")) {
            let words = "\(content) over \(String(decoding: sample.prefix(20), as: UTF8.self))"
            #expect(throws: FileConflict.self, "\(words)") { try Self.write(sample, as: content, over: folder) }
            #expect(try folder.read("file") == sample)
        }
    }

    /// It may have come since the output was declared.
    @Test func `what takes the place meanwhile is not replaced either`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/file"
        try FileRegister.$current.withValue(FileRegister()) {
            try FileRegister.current.declare(path, named: "--out", as: .csv)
            let file = try AtomicFile(path)
            try file.write(Array("id\r\n".utf8))
            try folder.write("file", SmallPicture.png(1))
            do {
                try file.commit()
                Issue.record("the picture was replaced")
            } catch is FileConflict {}
            #expect(try folder.read("file") == SmallPicture.png(1))
        }
    }

    @Test(arguments: OutputContent.allCases)
    func `no name says another kind, pictures included`(content: OutputContent) throws {
        let folder = try TemporaryDirectory()
        let endings: [OutputContent: Set<String>] = [
            .yaml: ["yaml", "yml"], .json: ["json"], .certificate: ["json"], .jsonl: ["jsonl", "json"],
            .state: ["jsonl", "json"],
            .csv: ["csv"],
            .tsv: ["tsv"], .sqlite: ["sqlite", "db"], .markdown: ["md"], .html: ["html"], .sarif: ["sarif", "json"],
        ]
        let all = Set(endings.values.joined()).union(["png", "jpg", "jpeg", "webp", "xlsx", "zip", "pdf", "PNG"])
        for ending in all.sorted() {
            let register = FileRegister()
            let isOwn = content == .checkedByReader || endings[content]?.contains(ending) ?? false
            do {
                try register.declare(folder.path + "/a." + ending, named: "--out", as: content)
                #expect(isOwn, "\(content) as .\(ending)")
            } catch {
                #expect(!isOwn, "\(content) as .\(ending): \(error)")
            }
        }
        // No output, whatever it is, is one of the state's files; names that name nothing are fine.
        for name in [".openmarket/plan.json", ".openmarket/runs/a.json", ".openmarket/pictures/a"] {
            guard content != .checkedByReader else { continue }
            #expect(throws: FileConflict.self) {
                try FileRegister().declare(folder.path + "/" + name, named: "--out", as: content, checksName: false)
            }
        }
        for name in ["new", "new.2026", "new.txt", "openmarket/a"] {
            try FileRegister().declare(folder.path + "/" + name, named: "--out", as: content)
        }
    }
}
