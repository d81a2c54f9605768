import FoundationEssentials
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What is the same file, whatever it is called, and what a clash says.
struct FileRegisterTests {
    /// A folder with `a`, a link and a hard link to it, a folder, a link to that, and a link that leads nowhere.
    private static func open(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        let root = directory.path
        try Data("a".utf8).write(to: URL(fileURLWithPath: root + "/a"))
        try FileManager.default.createDirectory(atPath: root + "/folder", withIntermediateDirectories: true)
        for (path, target) in [("link", "a"), ("linked", "folder"), ("nowhere", "none")] {
            #expect(symlink(target, root + "/" + path) == 0)
        }
        #expect(link(root + "/a", root + "/hard") == 0)
        try body(root)
        withExtendedLifetime(directory) {}
    }

    /// Every spelling of every file against every other one: they clash exactly where they are one file.
    @Test func `an output is an input by what it is, and not by what it is called`() throws {
        let spellings = [
            ["a", "link", "hard", "./a", "folder/../a", "linked/../a"],
            ["new", "./new", "folder/../new"],
            ["folder/new", "linked/new", "folder/./new"],
            ["nowhere", "./nowhere"],
            ["none/deep/new"],
        ]
        try Self.open { root in
            for (index, group) in spellings.enumerated() {
                for (other, otherGroup) in spellings.enumerated() {
                    for input in group {
                        for output in otherGroup {
                            let (input, output) = (root + "/" + input, root + "/" + output)
                            let words: Comment = "\(input) against \(output)"
                            // The input first, the output first, two outputs.
                            let early = FileRegister()
                            early.note(input, as: .plan)
                            let conflict = FileConflict(output: "--out", path: output, occupant: .input(.plan))
                            let late = FileRegister()
                            try late.declare(output, named: "--out", as: .checkedByReader)
                            late.note(input, as: .plan)
                            let pair = FileRegister()
                            try pair.declare(input, named: "--write json=", as: .checkedByReader)
                            if index == other {
                                #expect(throws: conflict, words) {
                                    try early.declare(output, named: "--out", as: .checkedByReader)
                                }
                                #expect(throws: conflict, words) { try late.check() }
                                #expect(throws: conflict, words) { try late.requireFree(output) }
                                #expect(throws: FileConflict.self, words) {
                                    try pair.declare(output, named: "--out", as: .checkedByReader)
                                }
                                #expect(early.isInput(output), words)
                            } else {
                                try early.declare(output, named: "--out", as: .checkedByReader)
                                try late.check()
                                try late.requireFree(output)
                                try pair.declare(output, named: "--out", as: .checkedByReader)
                                #expect(!early.isInput(output), words)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `what was opened is an input, and so is what could not be`() throws {
        try Self.open { root in
            try FileRegister.$current.withValue(FileRegister()) {
                let file = try InputFile.open(root + "/link", as: .manifest)
                try file.close()
                #expect(throws: Errno.noSuchFileOrDirectory) { try InputFile.open(root + "/missing", as: .other) }
                #expect(throws: FileConflict(output: "--out", path: root + "/hard", occupant: .input(.manifest))) {
                    try FileRegister.current.declare(root + "/hard", named: "--out", as: .checkedByReader)
                }
                #expect(throws: FileConflict.self) {
                    try FileRegister.current.declare(root + "/missing", named: "--out", as: .checkedByReader)
                }
            }
        }
    }

    @Test func `what may be replaced is said by role, and for each role`() throws {
        try Self.open { root in
            let register = FileRegister()
            try register.declare(root + "/a", named: "--out", as: .checkedByReader, replacing: .ownExport)
            register.note(root + "/hard", as: .ownExport)
            try register.check()
            try register.requireFree(root + "/a")
            register.note(root + "/hard", as: .manifest)
            let conflict = FileConflict(output: "--out", path: root + "/a", occupant: .input(.manifest))
            #expect(throws: conflict) { try register.check() }
            #expect(conflict.description == "--out \(root)/a would replace the manifest")
            // Who reads what was written reads no input.
            let written = FileRegister()
            try written.declare(root + "/a", named: "--out", as: .checkedByReader)
            written.noteWritten(root + "/a", insteadOf: nil)
            written.note(root + "/a", as: .manifest)
            try written.check()
        }
    }

    @Test func `all that is below a folder, links followed`() throws {
        try Self.open { root in
            try Data().write(to: URL(fileURLWithPath: root + "/folder/picture"))
            #expect(symlink("folder/picture", root + "/mug.jpg") == 0)
            let register = FileRegister()
            register.note(folder: root + "/linked", as: .keptPicture)
            for inside in ["/mug.jpg", "/folder/picture", "/folder/new", "/folder/deep/new"] {
                #expect(throws: FileConflict.self) {
                    try register.declare(root + inside, named: "--out", as: .checkedByReader)
                }
            }
            try register.declare(root + "/folder-new", named: "--out", as: .checkedByReader)
        }
    }

    @Test func `a pipe or a device replaces nothing and is replaced by nothing`() throws {
        let register = FileRegister()
        register.note("/dev/null", as: .manifest)
        try register.declare("/dev/null", named: "--out", as: .checkedByReader)
        try register.declare("/dev/null", named: "--write json=", as: .checkedByReader)
        try register.check()
        try register.requireFree("/dev/null")
    }

    @Test func `a file that the command replaced is an input under its new number only`() throws {
        try Self.open { root in
            try FileRegister.$current.withValue(FileRegister()) {
                FileRegister.current.note(root + "/a", as: .manifest)
                try AtomicFile.write([1], to: root + "/a", replacing: .manifest)
                #expect(FileRegister.current.isInput(root + "/a"))
                // The hard link still has the former number.
                #expect(!FileRegister.current.isInput(root + "/hard"))
            }
        }
    }

    @Test func `outside of a command no file that was read is in the way of another with its number`() throws {
        try Self.open { root in
            try InputFile.open(root + "/a", as: .manifest).close()
            FileRegister.current.note(root + "/a", as: .state)
            FileRegister.current.note(folder: root + "/folder", as: .keptPicture)
            try AtomicFile.write([1], to: root + "/hard")
            try AtomicFile.write([2], to: root + "/folder/picture")
        }
    }
}
