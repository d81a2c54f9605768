import FoundationEssentials
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing

/// A user's older file is replaced, what only that file has is not, and no name says another format.
struct OutputContentTests {
    /// What may be at the path of an output.
    private enum Old: CaseIterable {
        case nothing, empty, notes, picture, table, certified, edited, cut, otherCertificate, export, database

        var bytes: [UInt8]? {
            func database(_ application: [UInt8]) -> [UInt8] {
                Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 52) + application
            }
            return switch self {
            case .nothing: nil
            case .empty: []
            case .notes: Array("Call the printer\n".utf8)
            case .picture: SmallPicture.png(1)
            case .table, .certified, .otherCertificate: Array("id,key,price\r\n1,a,5\r\n".utf8)
            case .edited: Array("id,key,price\r\n1,a,6\r\n".utf8)
            case .cut: Array("id,key,price\r\n".utf8)
            case .export: database([0x4F, 0x4D, 0x45, 0x58])
            case .database: database([0, 0, 0, 0])
            }
        }

        /// The file beside it, with the SHA-256 of `table`.
        var certificate: String? {
            switch self {
            case .certified, .edited, .cut:
                "{\"rows\": 1, \"sha256\": \"9978f0069e20bdad0cb7fdd31f088cb0e2e7c490d59086bf4dbf3760a1f8ebd0\"}\n"
            case .otherCertificate: "{\"name\": \"mine\"}\n"
            case .nothing, .empty, .notes, .picture, .table, .export, .database: nil
            }
        }

        /// Why an output of this content does not replace it.
        func occupant(for content: OutputContent, discardsEdits: Bool) -> FileConflict.Occupant? {
            switch self {
            case .database: .otherDatabase
            // What writes manifests has a proof of its own.
            case .edited, .cut: discardsEdits || content == .yaml ? nil : .editedExport
            default: nil
            }
        }
    }

    /// The file may be there before the output is declared, or appear while it is made.
    @Test(arguments: OutputContent.allCases, [false, true])
    func `a file of the user's is replaced, but neither edits nor another program's database`(
        content: OutputContent,
        discardsEdits: Bool
    ) throws {
        for old in Old.allCases {
            for isThere in [true, false] {
                let folder = try TemporaryDirectory()
                let path = folder.path + "/file"
                func appear() throws {
                    if let bytes = old.bytes { try folder.write("file", bytes) }
                    if let certificate = old.certificate { try folder.write("file.certificate.json", certificate) }
                }
                let occupant =
                    content == .checkedByReader ? nil : old.occupant(for: content, discardsEdits: discardsEdits)
                let words: Comment = "\(content) over \(old), there before: \(isThere)"
                try FileRegister.$current.withValue(FileRegister()) {
                    func write() throws {
                        if isThere { try appear() }
                        try FileRegister.current.declare(path, named: "-o", as: content, discardsEdits: discardsEdits)
                        let file = try AtomicFile(path)
                        try file.write(Array("new".utf8))
                        if !isThere { try appear() }
                        try file.commit()
                    }
                    if let occupant {
                        #expect(throws: FileConflict(output: "-o", path: path, occupant: occupant), words) {
                            try write()
                        }
                        #expect(try folder.read("file") == old.bytes, words)
                    } else {
                        try write()
                        #expect(try folder.read("file") == Array("new".utf8), words)
                    }
                }
            }
        }
    }

    @Test func `edits are kept through links, whose certificate is that of the file`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("file.csv", Array("edited".utf8))
        try folder.write(
            "file.csv.certificate.json",
            Array(#"{"rows": 1, "sha256": "\#(String(repeating: "0", count: 64))"}"#.utf8)
        )
        for (link, target) in [("a.csv", "file.csv"), ("b.csv", "a.csv"), ("c.csv", folder.path + "/b.csv")] {
            let path = folder.path + "/" + link
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            #expect(ExportCertificate.path(of: path) == folder.path + "/file.csv.certificate.json")
            #expect(ExportCertificate.showsEdit(of: path), "\(link)")
            let conflict = #expect(throws: FileConflict.self) {
                try FileRegister.$current.withValue(FileRegister()) {
                    try FileRegister.current.declare(path, named: "-o", as: .csv)
                }
            }
            #expect(conflict?.occupant == .editedExport, "\(link)")
        }
    }

    @Test(arguments: OutputContent.allCases)
    func `no name says another kind, pictures included`(content: OutputContent) throws {
        let folder = try TemporaryDirectory()
        let endings: [OutputContent: Set<String>] = [
            .yaml: ["yaml", "yml"], .json: ["json"], .jsonl: ["jsonl", "json"], .csv: ["csv"],
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
        for (name, unknown) in [("a-{date}", "{date}"), ("{datum}", "{datum}"), ("a{-{}-b", "{}")] {
            let path = folder.path + "/" + name
            let conflict = FileConflict(output: "--out", path: path, occupant: .placeholder(unknown))
            guard content != .checkedByReader else { continue }
            #expect(throws: conflict) { try FileRegister().declare(path, named: "--out", as: content) }
        }
        for name in ["new", "new.2026", "new.txt", "openmarket/a", "{folder}/a", "a{b"] {
            try FileRegister().declare(folder.path + "/" + name, named: "--out", as: content)
        }
    }
}
