@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// Keys have one spelling, file names are bytes, names are something that people see.
struct ManifestSpellingTests {
    @Test(arguments: Spellings.all)
    func `a key is normalised when it is read, from any Unicode form`(spellings: Spellings) throws {
        for spelling in spellings.both {
            let loaded = expectFaults(
                "products:\n- {key: '\(spelling)', id: 1, previously: ['old \(spelling)']}\n"
            )
            let listing = try #require(loaded.manifest?.listings.first)
            #expect(listing.key.isExactly(spellings.composed))
            #expect(listing.previously.map { ExactText($0) } == [ExactText("old \(spellings.composed)".composed)])
        }
    }

    @Test(arguments: Spellings.all)
    func `two spellings of a key are one key, reported where it appears twice`(spellings: Spellings) {
        expectFaults(
            """
            products:
            - ①{key: '\(spellings.composed)', id: 1}
            - key: ②'\(spellings.decomposed)'
              id: 2
            """,
            """
            ② [products[1].key] the key '\(spellings.composed)' is used by another product
              note: ①: it was used first here
            """
        )
        expectFaults(
            """
            products:
            - ①{key: '\(spellings.composed)', id: 1}
            - {key: b, id: 2, previously: [②'\(spellings.decomposed)']}
            - {key: 'own \(spellings.composed)', id: 3, previously: [③'own \(spellings.decomposed)']}
            """,
            """
            ② [products[1].previously] the key '\(spellings.composed)' is still in use
              note: ①: by this product
            ③ [products[2].previously] 'previously' names the product's own key
            """
        )
    }

    @Test func `two spellings of a mapping's key are a repeated key`() {
        expectFaults(
            "①x-\(Spellings.korean.composed): 1\nproducts: []\n②x-\(Spellings.korean.decomposed): 2\n",
            """
            ② the key 'x-\(Spellings.korean.composed)' appears twice in this mapping
              note: ①: it was given first here
            """
        )
        expectFaults(
            "x-own: {①\(Spellings.korean.composed): 1, ②\(Spellings.korean.decomposed): 2}\nproducts: []\n",
            """
            ② the key '\(Spellings.korean.composed)' appears twice in this mapping
              note: ①: it was given first here
            """
        )
    }

    @Test(arguments: Spellings.all)
    func `of two manifests whose names look the same both are read, in one order`(spellings: Spellings) throws {
        let folder = try TemporaryDirectory()
        try folder.write("m/\(spellings.composed).yaml", "products: [{key: a, id: 1}]\n")
        try folder.write("m/\(spellings.decomposed).yaml", "products: [{key: b, id: 2}]\n")
        let first = ManifestLoader().load([folder.path + "/m"])
        #expect(first.diagnostics == [])
        #expect(Set(first.manifest?.listings.map(\.key) ?? []) == ["a", "b"])
        let named = spellings.both.map { folder.path + "/m/\($0).yaml" }
        #expect(ManifestLoader().load(named).manifest?.listings.map(\.key) == ["a", "b"])
        // By bytes, so that the order is the same on every machine.
        let sorted = named.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(first.manifest?.files.map { ExactText($0) } == sorted.map { ExactText($0) })
    }

    @Test(arguments: Spellings.all)
    func `of two pictures whose names look the same each product gets its own`(spellings: Spellings) throws {
        let folder = try TemporaryDirectory()
        try folder.write("\(spellings.composed).jpg", SamplePictures.jpeg(salt: 1))
        try folder.write("\(spellings.decomposed).jpg", SamplePictures.jpeg(salt: 2))
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1, images: ['\(spellings.composed).jpg']}
            - {key: b, id: 2, images: ['\(spellings.decomposed).jpg']}
            - {key: c, id: 3, images: ['\(spellings.composed).jpg', '\(spellings.decomposed).jpg'], thumbnail: '\(spellings.decomposed).jpg'}
            """,
            folder: folder.path
        )
        let listings = try #require(loaded.manifest?.listings)
        let digests = listings.map { $0.pictures.map(\.digest) }
        #expect(digests[0] != digests[1])
        #expect(digests[2] == digests[0] + digests[1])
        #expect(listings[2].values.thumbnail == .digest(digests[1][0]))
    }

    @Test(arguments: Spellings.all)
    func `what is there in another spelling is found`(
        spellings: Spellings
    ) throws {
        for (written, there) in [
            (spellings.composed, spellings.decomposed), (spellings.decomposed, spellings.composed),
        ] {
            let folder = try TemporaryDirectory()
            try folder.write("\(there)/\(there).jpg", SamplePictures.jpeg(salt: 1))
            try folder.write("\(there)/2.jpg", SamplePictures.jpeg(salt: 2))
            try folder.write("\(there).txt", "A long text from a file.")
            let loaded = expectFaults(
                """
                products:
                - {key: a, id: 1, description: !file '\(written).txt', images: ['\(written)/\(written).jpg']}
                - {key: b, id: 2, images: ['\(written)/2.jpg']}
                """,
                folder: folder.path
            )
            let listings = try #require(loaded.manifest?.listings)
            #expect(listings[0].values.description == "A long text from a file.")
            #expect(listings.map(\.pictures.count) == [1, 1])
            #expect(listings[0].pictures[0].path.isExactly("\(written)/\(written).jpg"))
            #expect(listings[0].pictures[0].file.utf8.suffix(8).elementsEqual("\(there).jpg".utf8.suffix(8)))
        }
    }

    @Test func `of two files that may be meant none is taken`() throws {
        let folder = try TemporaryDirectory()
        // Three spellings: the marks above and below the letter are in either order.
        try folder.write("a\u{323}\u{302}.jpg", SamplePictures.jpeg(salt: 1))
        try folder.write("a\u{302}\u{323}.jpg", SamplePictures.jpeg(salt: 2))
        expectFaults(
            "products:\n- {key: a, id: 1, images: [①'\u{1EAD}.jpg']}\n",
            "① [products[0].images[0]] \u{1EAD}.jpg does not exist",
            folder: folder.path
        )
    }

    @Test(arguments: Spellings.all)
    func `a manifest is found in another spelling, and keeps the name that it has on disk`(spellings: Spellings) throws
    {
        let folder = try TemporaryDirectory()
        try folder.write("\(spellings.decomposed)/shop.yaml", "products: [{key: a, id: 1}]\n")
        let loaded = ManifestLoader().load([folder.path + "/\(spellings.composed)/shop.yaml"])
        #expect(loaded.diagnostics == [])
        #expect(loaded.manifest?.listings.map(\.key) == ["a"])
        #expect(
            loaded.manifest?.files.map { ExactText($0) } == [
                ExactText(folder.path + "/\(spellings.decomposed)/shop.yaml")
            ]
        )
    }

    @Test(arguments: Spellings.all)
    func `a folder that only looks like the manifest's is outside`(spellings: Spellings) throws {
        let folder = try TemporaryDirectory()
        try folder.write("\(spellings.decomposed)/a.jpg", SamplePictures.jpeg())
        try folder.write("\(spellings.composed)/b.jpg", SamplePictures.jpeg())
        expectFaults(
            "products:\n- {key: a, id: 1, images: [①'../\(spellings.decomposed)/a.jpg']}\n",
            """
            ① [products[0].images[0]] ../\(spellings.decomposed)/a.jpg is outside the manifest's folder
              help: move it there, or allow it with --allow-outside
            """,
            folder: folder.path + "/" + spellings.composed
        )
    }

    @Test(arguments: [
        "   ", "\u{A0}\u{2003}\u{3000}", "\u{200B}\u{200B}\u{200B}", "\u{200C}\u{200D}\u{2060}\u{FEFF}",
        "\u{3164}\u{3164}\u{3164}", "\u{AD}\u{AD} \u{AD}", "\u{2800}\u{2800}\u{2800}", "\u{200E}\u{200F}\u{61C}",
    ])
    func `a name or a key without a visible character is a fault`(text: String) {
        expectFaults(
            "products:\n- {key: ①\"\(text)\", id: 1, name: ②\"\(text)\"}\n",
            """
            ① [products[0].key] 'key' has no visible character
            ② [products[0].name] the name has no visible character
            """
        )
    }

    @Test(arguments: ["\\n", "\\r", "\\r\\n", "\\t", "\\u2028", "\\u2029"])
    func `a name is one line`(end: String) {
        expectFaults(
            "products:\n- {key: a, id: 1, name: ①\"Desk\(end)lamp\"}\n",
            """
            ① [products[0].name] the name has a line break or another control character
              help: write it on one line; a name of several lines in YAML is '>-' or in quotes
            """
        )
    }

    @Test func `names in any script, with marks and joined signs, are good`() {
        expectFaults(
            """
            products:
            - {key: a, id: 1, name: "한지등"}
            - {key: b, id: 2, name: "👨‍👩‍👧 lamp"}
            - {key: c, id: 3, name: "می‌خواهم"}
            - {key: d, id: 4, name: "e\\u0301te\\u0301"}
            - key: e
              id: 5
              name: >-
                Desk
                lamp
            """
        )
    }
}
