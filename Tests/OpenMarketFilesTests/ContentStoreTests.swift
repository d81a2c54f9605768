import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import SystemPackage
import Testing

final class ContentStoreTests {
    private let directory: TemporaryDirectory
    private let store: ContentStore
    private let picture: FetchedPicture

    init() throws {
        directory = try TemporaryDirectory()
        store = ContentStore(directory.path + "/store", isPrivate: true)
        try AtomicFile.write([1, 2, 3], to: directory.path + "/picture")
        picture = try #require(FetchedPicture(file: directory.path + "/picture", as: .other))
    }

    private var name: String { picture.digest.hexadecimal + ".jpg" }
    private var file: String { "\(store.folder)/\(name)" }

    @Test func `a link is there at once, and what a killed run left of another goes with the next`() throws {
        let folder = try TemporaryDirectory()
        let link = folder.path + "/link"
        try FileSystem.makeLink(link, to: "a")
        #expect(FileSystem.names(in: folder.path) == ["link"])
        try FileSystem.makeLink(link + ".partial", to: "left")
        try FileSystem.makeLink(link, to: "b")
        #expect(FileSystem.target(ofLink: link) == "b")
        #expect(FileSystem.names(in: folder.path) == ["link"])
    }

    @Test func `what killed runs left of any content goes before more is kept`() throws {
        try store.keep(picture, ending: ".jpg", from: "one")
        let random = String(repeating: "a", count: 32)
        for name in ["b.\(random).partial", "b.partial"] { try directory.write("store/" + name, "half a picture") }
        try store.prepare()
        #expect(FileSystem.names(in: store.folder).map(Set.init) == [name, "addresses", "b.partial"])
    }

    @Test func `content is found by its digest and by its address, and kept once`() throws {
        #expect(store.name(at: "one") == nil)
        try store.keep(picture, ending: ".jpg", from: "one")
        try store.keep(picture, ending: ".jpg", from: "two")
        #expect(store.name(at: "one") == name)
        #expect(store.name(at: "two") == name)
        #expect(store.content(named: name) == picture)
        #expect(FileSystem.names(in: store.folder).map(Set.init) == [name, "addresses"])
        #expect(try Stat(FilePath(store.folder)).permissions == .ownerReadWriteExecute)
        #expect(try Stat(FilePath(file)).permissions == .ownerRead)
    }

    @Test func `damaged content is as good as none, and is written again`() throws {
        try store.keep(picture, ending: ".jpg", from: "one")
        try FileSystem.remove(file)
        try directory.write("store/" + name, [4])
        #expect(store.content(named: name) == nil)
        try store.keep(picture, ending: ".jpg", from: "one")
        #expect(store.content(named: name) == picture)
    }

    @Test func `reviews find a picture by its digest, and a folder that cannot be made does not matter`() throws {
        store.keep(picture, from: "one")
        #expect(store.digest(at: "one") == picture.digest)
        #expect(store.bytes(of: picture.digest) == [1, 2, 3])
        let blocked = ContentStore(directory.path + "/picture/store", isPrivate: true)
        blocked.keep(picture, from: "one")
        #expect(blocked.digest(at: "one") == nil)
    }

    @Test func `the oldest files go first when there are too many bytes, and their addresses with them`() throws {
        store.keep(picture, from: "old")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)],
            ofItemAtPath: "\(store.folder)/\(picture.digest.hexadecimal)"
        )
        try AtomicFile.write([5], to: directory.path + "/newer")
        let newer = try #require(FetchedPicture(file: directory.path + "/newer", as: .other))
        store.keep(newer, from: "new")
        store.prune()
        #expect(store.digest(at: "old") == picture.digest)
        store.prune(to: 3, except: [picture.digest])
        #expect(store.digest(at: "old") == picture.digest)
        store.prune(to: 3)
        #expect(FileSystem.names(in: store.folder).map(Set.init) == [newer.digest.hexadecimal, "addresses"])
        #expect(store.digest(at: "old") == nil)
        #expect(store.digest(at: "new") == newer.digest)
    }
}
