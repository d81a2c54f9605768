import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketTestSupport
import SystemPackage
import Testing

@testable import OpenMarketWorkflow

/// A first manifest and its picture are written together, over nothing.
struct StarterShopTests {
    private static let drawing: [UInt8] = [1, 2, 3]

    @Test func `manifest and picture are written, and named in the document`() throws {
        let folder = try TemporaryDirectory()
        let shop = try StarterShop(at: folder.path + "/openmarket.yaml")
        try shop.write(StarterManifest(), picture: Self.drawing)
        #expect(try InputFile.bytes(of: shop.path) == StarterManifest().bytes())
        #expect(try InputFile.bytes(of: shop.picture) == Self.drawing)
        #expect(shop.document["manifest"] == .string(shop.path))
        #expect(throws: StarterShop.Fault.manifestExists(shop.path)) { try StarterShop(at: shop.path) }
    }

    @Test func `a picture that an interrupted run left is taken, and another one is not written over`() throws {
        for left in [Self.drawing, [9]] {
            let folder = try TemporaryDirectory()
            let shop = try StarterShop(at: folder.path + "/openmarket.yaml")
            try FileSystem.createFolder(folder.path + "/images", permissions: [.ownerReadWriteExecute])
            try AtomicFile.write(left, to: shop.picture)
            if left == Self.drawing {
                try shop.write(StarterManifest(), picture: Self.drawing)
            } else {
                #expect(throws: StarterShop.Fault.pictureExists(shop.picture)) {
                    try shop.write(StarterManifest(), picture: Self.drawing)
                }
            }
            #expect(FileSystem.exists(shop.path) == (left == Self.drawing))
            #expect(try InputFile.bytes(of: shop.picture) == left)
        }
    }
}
