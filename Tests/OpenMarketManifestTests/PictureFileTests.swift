import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

struct PictureFileTests {
    @Test func `pictures are hashed, measured and placed`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("shop/images/a.jpg", SamplePictures.jpeg())
        try folder.write("shop/images/b.png", SamplePictures.png)
        let loaded = expectFaults(
            "products:\n- {key: a, id: 1, images: [images/a.jpg, ./images/../images/b.png], thumbnail: ./images/../images/b.png}\n",
            folder: folder.path + "/shop"
        )
        let listing = try #require(loaded.manifest?.listings.first)
        let first = try #require(
            ContentDigest(hexadecimal: "9110d43477ca97790d5aee1d2afee541c2a50ad35d75381acab2c116aacb536c")
        )
        let second = try #require(
            ContentDigest(hexadecimal: "8e07a5639d043b8686a0ac76e9aee4829d058f79129813d71f23aa729d5c3199")
        )
        let root = listing.pictures[0].file.dropLast("/images/a.jpg".count)
        #expect(
            listing.pictures == [
                Picture(
                    path: "images/a.jpg",
                    file: "\(root)/images/a.jpg",
                    digest: first,
                    byteCount: SamplePictures.jpeg().count,
                    format: .jpeg,
                    width: 640,
                    height: 480
                ),
                Picture(
                    path: "./images/../images/b.png",
                    file: "\(root)/images/b.png",
                    digest: second,
                    byteCount: SamplePictures.png.count,
                    format: .png,
                    width: 3,
                    height: 2
                ),
            ]
        )
        #expect(listing.values.images == [.digest(first), .digest(second)])
        #expect(listing.values.thumbnail == .digest(second))
    }

    @Test func `every fault of a picture is named at its line`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("outside.jpg", SamplePictures.jpeg())
        try folder.write("shop/good.jpg", SamplePictures.jpeg())
        try folder.write("shop/animated.jpg", SamplePictures.gif)
        try folder.write("shop/empty.jpg", [])
        try folder.write("shop/big.jpg", SamplePictures.jpeg() + Array(repeating: 0, count: 299_965 + 40))
        try folder.write("shop/cut.jpg", SamplePictures.jpeg().prefix(12))
        try folder.write("shop/cut.png", SamplePictures.png.prefix(20))
        try folder.write("shop/zero.png", SamplePictures.png.prefix(16) + Array(repeating: 0, count: 20))
        try folder.write("shop/text.png", "hello")
        try folder.write("shop/photo.webp", "RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 and more")
        try folder.write("shop/lfs.png", "version https://git-lfs.github.com/spec/v1\n")
        try folder.write("shop/folder/x", [])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/shop/link.jpg",
            withDestinationPath: folder.path + "/outside.jpg"
        )
        try folder.write("shop/early.jpg", SamplePictures.jpeg().dropLast())
        try folder.write("shop/early.png", SamplePictures.png.dropLast())
        try folder.write("shop/inner.jpg", SamplePictures.jpeg().dropLast(2) + [0xFF, 0x00, 0xFF, 0xD0, 0xD9])
        let repair = "copy the file again, or save it again in a picture editor"
        let convert = "save it as JPEG or PNG in a picture editor"
        let cases: [(String, String, String?)] = [
            ("early.jpg", "early.jpg is a damaged JPEG: its end is missing", repair),
            ("early.png", "early.png is a damaged PNG: its end is missing", repair),
            ("inner.jpg", "inner.jpg is a damaged JPEG: its end is missing", repair),
            ("animated.jpg", "animated.jpg is a GIF picture, not a JPEG or PNG", convert),
            ("photo.webp", "photo.webp is a WebP picture, not a JPEG or PNG", convert),
            ("empty.jpg", "empty.jpg is empty", nil),
            (
                "big.jpg",
                "big.jpg has \(SamplePictures.jpeg().count + 300_005) bytes, and a picture must be under 300000",
                "save it smaller, or with more compression"
            ),
            ("cut.jpg", "cut.jpg is a damaged JPEG: its end is missing", repair),
            ("cut.png", "cut.png is a damaged PNG: its end is missing", repair),
            ("zero.png", "zero.png is a damaged PNG: its end is missing", repair),
            ("text.png", "text.png is not a JPEG or PNG", nil),
            ("lfs.png", "lfs.png is a Git LFS pointer, not a JPEG or PNG", "run 'git lfs pull'"),
            ("folder", "folder is a folder", nil),
            ("goood.jpg", "goood.jpg does not exist", "did you mean 'good.jpg'?"),
            ("nowhere/x.jpg", "nowhere/x.jpg does not exist", nil),
            (
                "../outside.jpg", "../outside.jpg is outside the manifest's folder",
                "move it there, or allow it with --allow-outside"
            ),
            (
                "link.jpg", "link.jpg is outside the manifest's folder",
                "move it there, or allow it with --allow-outside"
            ),
            ("https://x/y.jpg", "https://x/y.jpg is a URL", "files are read from disk; download it first"),
            ("''", "the path is empty", nil),
        ]
        for (path, message, help) in cases {
            expectFaults(
                "products:\n- key: a\n  id: 1\n  images:\n  - good.jpg\n  - ①\(path)\n",
                "① [products[0].images[1]] \(message)" + (help.map { "\n  help: \($0)" } ?? ""),
                folder: folder.path + "/shop"
            )
        }
        expectFaults(
            "products:\n- {key: a, id: 1, images: [../outside.jpg, link.jpg]}\n",
            options: ManifestOptions(allowOutside: true),
            folder: folder.path + "/shop"
        )
    }

    @Test func `a raised limit takes a larger picture, and a product may have more of them`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("big.jpg", SamplePictures.jpeg() + Array(repeating: 0, count: 300_000))
        expectFaults(
            "products:\n- {key: a, id: 1, images: [big.jpg, big.jpg, big.jpg, big.jpg, big.jpg, big.jpg]}\n"
                + "market: {limits: {max_images: 6, max_image_bytes: 400000}}\n",
            folder: folder.path
        )
    }

    @Test func `one to five pictures, in a list`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.jpg", SamplePictures.jpeg())
        expectFaults(
            """
            products:
            - {key: a, id: 1, images: ①[]}
            - {key: b, id: 2, images: ②[a.jpg, a.jpg, a.jpg, a.jpg, a.jpg, a.jpg]}
            - {key: c, id: 3, images: ③a.jpg}
            - {key: d, id: 4, images: [④{x: y}]}
            """,
            """
            ① [products[0].images] this product has 0 pictures, and 1 to 5 are allowed
            ② [products[1].images] this product has 6 pictures, and 1 to 5 are allowed
            ③ [products[2].images] 'images' must be a list, and this is a text
              help: write [a.jpg]
            ④ [products[3].images[0]] 'images[0]' must be a single value, and this is a mapping
            """,
            folder: folder.path
        )
    }

    @Test func `the thumbnail is one of the images, on v1 the first`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("front.jpg", SamplePictures.jpeg())
        try folder.write("side.jpg", SamplePictures.jpeg(salt: 1))
        expectFaults(
            """
            products:
            - {key: a, id: 1, images: [front.jpg, side.jpg], thumbnail: ①frnt.jpg}
            - {key: b, id: 2, thumbnail: ②front.jpg}
            - {key: c, id: 3, images: [front.jpg, side.jpg], thumbnail: side.jpg}
            """,
            """
            ① [products[0].thumbnail] 'thumbnail' must be one of the images, and 'frnt.jpg' is not
              help: did you mean 'front.jpg'?
            ② [products[1].thumbnail] 'thumbnail' needs 'images'
            """,
            folder: folder.path
        )
        expectFaults(
            """
            market: {api: v1b}
            products:
            - {key: a, id: 1, images: [front.jpg, side.jpg], thumbnail: front.jpg}
            - {key: b, id: 2, images: [front.jpg, side.jpg], thumbnail: ①side.jpg}
            """,
            """
            ① [products[1].thumbnail] v1b shows the first picture in lists, and this is number 2
              help: put it first in 'images', and leave 'thumbnail' out
            """,
            folder: folder.path
        )
    }

    @Test func `no bytes of a picture crash its reader`() async throws {
        let folder = try TemporaryDirectory()
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var manifest = "market: {limits: {max_images: 1000}}\nproducts:\n- key: a\n  id: 1\n  images:\n"
        for number in 0..<300 {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var bytes = number.isMultiple(of: 2) ? SamplePictures.jpeg() : SamplePictures.png
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            try folder.write("\(number).jpg", bytes)
            manifest += "  - \(number).jpg\n"
        }
        let loaded = ManifestLoader().decode(Array(manifest.utf8), folder: folder.path)
        #expect(loaded.diagnostics.allSatisfy { $0.message.contains(".jpg is ") }, "seed \(seed)")
        #expect(!loaded.diagnostics.isEmpty, "seed \(seed)")
    }
}
