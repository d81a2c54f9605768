import FoundationEssentials
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
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

    @Test func `a link that leads nowhere stays one, and one without an end is refused`() throws {
        let (near, far) = (directory.path + "/near", directory.path + "/far")
        try FileSystem.makeLink(near, to: "far")
        try FileSystem.makeLink(far, to: path)
        try AtomicFile.write([1], to: near, replaces: false)
        #expect(FileSystem.target(ofLink: near) == "far" && FileSystem.target(ofLink: far) == path)
        #expect(try directory.read("a") == [1])
        let loop = directory.path + "/loop"
        try FileSystem.makeLink(loop, to: "loop")
        #expect(throws: FileError(.write, loop, .tooManySymbolicLinkLevels)) { try AtomicFile.write([2], to: loop) }
        #expect(FileSystem.target(ofLink: loop) == "loop")
        // Two names of one place, of which nothing is there yet.
        try FileSystem.remove(path)
        let register = FileRegister()
        try register.declare(near, named: "--out", as: .csv)
        #expect(throws: FileConflict(output: "--write", path: path, occupant: .output("--out"))) {
            try register.declare(path, named: "--write", as: .csv)
        }
    }

    @Test func `what no file can be called is refused before anything is written`() throws {
        let long = directory.path + "/" + String(repeating: "n", count: 300)
        #expect(throws: FileError(.write, long, .fileNameTooLong)) { _ = try AtomicFile(long) }
        #expect(throws: FileError(.write, path + "/", .folderName)) { _ = try AtomicFile(path + "/") }
        #expect(FileSystem.names(in: directory.path) == [])
    }

    @Test func `a descriptor is written as the process has it, and not replaced`() throws {
        try AtomicFile.write([1], to: path)
        let given = try FileDescriptor.open(path, .writeOnly, options: .append)
        defer { try? given.close() }
        let name = "/dev/fd/\(given.rawValue)"
        let link = directory.path + "/link"
        try FileSystem.makeLink(link, to: name)
        for name in [name, link] {
            #expect(!FileSystem.isRegular(name) && !FileSystem.mayBecomeRegular(name))
            let file = try AtomicFile(name)
            let isSpecial = file.isSpecial
            #expect(isSpecial)
            try file.write([2])
            try file.commit()
        }
        #expect(try directory.read("a") == [1, 2, 2])
        #expect(FileSystem.names(in: directory.path)?.sorted() == ["a", "link"])
        // What it opened itself is its own: a database, a connection.
        let own = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
        defer { try? own.close() }
        let hidden = "/dev/fd/\(own.rawValue)"
        #expect(throws: FileError(.write, hidden, .badFileDescriptor)) { try AtomicFile.write([3], to: hidden) }
        #expect(StandardStreams.isOutput("-") && StandardStreams.isOutput("/dev/stdout"))
        #expect(!StandardStreams.isOutput(name) && !StandardStreams.isOutput("1"))
    }

    /// Rewrites the file; `meanwhile` runs before it is moved to its path.
    private func rewrite(_ bytes: [UInt8], meanwhile: () throws -> Void = {}) throws {
        let file = try AtomicFile.rewriting(path)
        try file.write(bytes)
        try meanwhile()
        try file.commit()
    }

    @Test func `a user's file is written again only where nothing else changes`() throws {
        try AtomicFile.write([1], to: path, permissions: [.ownerReadWrite, .groupRead])
        try rewrite([2])
        #expect(try directory.read("a") == [2])
        #expect(try mode(path) == [.ownerReadWrite, .groupRead])
        try FileManager.default.linkItem(atPath: path, toPath: directory.path + "/b")
        #expect(throws: FileError(.write, path, .hardLinked)) { try rewrite([3]) }
        #expect(try directory.read("a") == [2])
    }

    @Test func `a user's new file leaves one that appears meanwhile`() throws {
        #expect(throws: FileError(.write, path, .taken)) {
            try rewrite([0]) { _ = try directory.write("a", [1]) }
        }
        #expect(try directory.read("a") == [1])
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
