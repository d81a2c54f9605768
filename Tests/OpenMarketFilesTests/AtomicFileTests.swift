import FoundationEssentials
import OpenMarketFiles
import OpenMarketTestSupport
import SystemPackage
import Testing

final class AtomicFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/a" }

    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ path: String) throws -> FilePermissions { try Stat(FilePath(path)).permissions }

    @Test func `a free place is taken only once without replacing`() throws {
        try AtomicFile.write(Array("one".utf8), to: path, replaces: false)
        #expect(throws: FileError(.write, path, .taken)) {
            try AtomicFile.write(Array("two".utf8), to: path, replaces: false)
        }
        #expect(try directory.read("a") == Array("one".utf8))
        try AtomicFile.write(Array("three".utf8), to: path)
        #expect(try directory.read("a") == Array("three".utf8))
        #expect(FileSystem.names(in: directory.path) == ["a"])
    }

    @Test func `a file appears whole or not at all`() throws {
        do {
            let file = try AtomicFile(path)
            try file.write(Array("half".utf8))
            #expect(FileSystem.exists(path) == false)
        }
        #expect(FileSystem.names(in: directory.path) == [])
    }

    @Test func `a new content is readable to no more people, and a link stays one`() throws {
        try AtomicFile.write([1], to: path, permissions: .ownerReadWrite)
        try FileSystem.makeLink(directory.path + "/link", to: "a")
        try AtomicFile.write([2], to: directory.path + "/link", permissions: AtomicFile.readableByAll)
        #expect(try mode(path) == .ownerReadWrite)
        #expect(try directory.read("a") == [2])
        #expect(FileSystem.target(ofLink: directory.path + "/link") == "a")
    }

    @Test func `a user's file is written again only where nothing else changes`() throws {
        try AtomicFile.write([1], to: path, permissions: [.ownerReadWrite, .groupRead])
        try AtomicFile.rewrite([2], of: path)
        #expect(try directory.read("a") == [2])
        #expect(try mode(path) == [.ownerReadWrite, .groupRead])
        try FileManager.default.linkItem(atPath: path, toPath: directory.path + "/b")
        #expect(throws: FileError(.write, path, .hardLinked)) { try AtomicFile.rewrite([3], of: path) }
        #expect(try directory.read("a") == [2])
    }

    @Test func `what killed runs left goes, unless it is being written`() throws {
        let random = "0123456789abcdef0123456789abcdef"
        let other = String(random.reversed())
        for name in ["a.\(random).partial", "a.\(other).partial", "b.\(random).partial", "a.partial"] {
            try AtomicFile.write([], to: directory.path + "/" + name)
        }
        let live = try FileDescriptor.open(directory.path + "/a.\(other).partial", .readOnly)
        defer { try? live.close() }
        #expect(try live.lock())
        try AtomicFile.write([1], to: path)
        #expect(
            FileSystem.names(in: directory.path)?.sorted() == [
                "a", "a.\(other).partial", "a.partial", "b.\(random).partial",
            ]
        )
    }

    @Test func `an input is not replaced, and what is recognized by its content neither`() throws {
        try AtomicFile.write([1], to: path)
        try AtomicFile.write([2], to: directory.path + "/state")
        try FileRegister.$current.withValue(FileRegister { $0.hasSuffix("/state") ? .state : [] }) {
            _ = try InputFile.bytes(of: path, as: .manifest)
            #expect(throws: FileConflict(output: "writing", path: path, occupant: .input(.manifest))) {
                try AtomicFile.write([3], to: path)
            }
            let state = directory.path + "/state"
            #expect(throws: FileConflict(output: "writing", path: state, occupant: .input(.state))) {
                try AtomicFile.write([3], to: state)
            }
            #expect(throws: FileConflict(output: "--out", path: state, occupant: .input(.state))) {
                try FileRegister.current.declare(state, named: "--out", as: .checkedByReader)
            }
        }
    }

    @Test func `a missing file is named with the one that was probably meant`() throws {
        try AtomicFile.write([1], to: directory.path + "/openmarket.yaml")
        let error = #expect(throws: FileError.self) { try InputFile.bytes(of: directory.path + "/openmarkt.yaml") }
        #expect(error?.description == "\(directory.path)/openmarkt.yaml does not exist")
        #expect(error?.help == "did you mean 'openmarket.yaml'?")
    }

    @Test(arguments: [
        ("a", "", ".", "a"), ("b/a", "b/", "b", "a"), ("/a", "/", "/", "a"), ("b/\u{301}", "b/", "b", "\u{301}"),
    ])
    func `a path is cut by bytes`(path: String, prefix: String, folder: String, name: String) {
        #expect(FileSystem.prefix(of: path).utf8.elementsEqual(prefix.utf8))
        #expect(FileSystem.folder(of: path).utf8.elementsEqual(folder.utf8))
        #expect(FileSystem.name(of: path).utf8.elementsEqual(name.utf8))
    }
}
