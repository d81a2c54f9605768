import FoundationEssentials
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import SystemPackage
import Testing

final class LockedFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/a" }

    init() throws { directory = try TemporaryDirectory() }

    private func fault(creates: Bool = true) -> LockedFile.Fault? {
        do {
            try LockedFile(path, creates: creates).close()
            return nil
        } catch {
            return error as? LockedFile.Fault
        }
    }

    @Test func `a file is one run's at a time, and is only its owner's`() throws {
        #expect(throws: Errno.noSuchFileOrDirectory) { try LockedFile(path, creates: false) }
        let file = try LockedFile(path, creates: true)
        #expect(try Stat(FilePath(path)).permissions == .ownerReadWrite)
        #expect(fault() == .locked)
        file.close()
        let next = try LockedFile(path, creates: false)
        next.remove()
        #expect(!FileSystem.exists(path))
    }

    @Test func `what others can write, have under another name, or is not a file, is left alone`() throws {
        try AtomicFile.write([1], to: path, permissions: AtomicFile.readableByAll)
        #expect(fault() == nil)
        try FileManager.default.linkItem(atPath: path, toPath: directory.path + "/b")
        #expect(fault() == .foreign)
        try FileSystem.remove(directory.path + "/b")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        #expect(fault() == .foreign)
        try FileSystem.remove(path)
        try FileSystem.createFolder(directory.path + "/folder/inner", permissions: .ownerReadWriteExecute)
        try FileSystem.makeLink(path, to: "folder")
        #expect(throws: Errno.self) { try LockedFile(path, creates: true) }
    }
}
