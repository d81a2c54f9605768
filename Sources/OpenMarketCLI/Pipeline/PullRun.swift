import FoundationEssentials
import OpenMarket
import OpenMarketApply
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Makes a manifest of what the market shows, and binds the state to it.
///
/// Pictures first, then the manifest, whole or not at all, then the state. A run that is killed in between loses nothing:
/// the next one finds the pictures, and a manifest that is as it would write it; and every product has its `id` there, by
/// which `apply` binds it, too.
struct PullRun: Sendable {
    /// The manifest to write.
    let path: String
    /// The manifests that stay, with the market's section.
    let others: [String]
    /// Where the pictures go.
    let images: String
    let market: MarketSettings
    let request: PullRequest
    /// Whether a manifest that exists is written over.
    let replaces: Bool
    /// How the manifest is read back.
    let options: ManifestOptions
    let console: Console

    /// A product that becomes part of the manifest.
    private struct Product {
        var key: String
        var live: LiveProduct
    }

    /// The folder of a path with its slash; empty for the current one.
    static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }

    /// Pulls.
    func run(in session: Session) async throws -> PulledShop {
        let recovered = try await session.settle()
        try recovered.requireSettled()
        let exists = FileManager.default.fileExists(atPath: path)
        // A manifest that a pull did not write cannot be what this one would, so nothing is fetched for it.
        if exists, !replaces, try !FileBytes.read(path, as: .manifest).starts(with: "# \(remark)".utf8) {
            throw inTheWay
        }
        let catalog = try await session.pull(request, knowing: recovered.snapshot)
        guard !catalog.products.isEmpty else {
            throw CommandFailure(.refused, "the market shows no products of ours; nothing was written")
        }
        let products = keyed(catalog.products, recovered.snapshot.entries)
        let pictures = try await fetch(products, session)
        let (bytes, omissions) = try manifest(of: products, pictures, vendorID: catalog.vendorID)
        if exists, !replaces {
            guard try FileBytes.read(path, as: .manifest) == bytes else { throw inTheWay }
        } else {
            try AtomicFile.write(bytes, to: path, permissions: AtomicFile.readableByAll, replaces: replaces)
        }
        let digests = pictures.compactMapValues { try? $0.get().digest }
        let moved = try await bind(products, in: session.knowing(digests))
        return PulledShop(
            path: path,
            products: products.count,
            pictures: Set(digests.values).count,
            missing: pictures.values.count { if case .failure(let trouble) = $0 { trouble.mayPass } else { false } },
            omissions: omissions,
            catalogMoved: catalog.catalogMoved || moved
        )
    }

    /// What a manifest that was pulled begins with.
    private var remark: String { "Pulled by openmarket from \(market.url ?? ""), \(market.profile ?? .v2b)." }

    private var inTheWay: CommandFailure {
        CommandFailure(
            .failure,
            "\(path) exists, and is not what a pull would write now; it was left alone",
            help: "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)"
        )
    }

    /// The products with their keys: those that the state has, else made of their names.
    private func keyed(_ products: [LiveProduct], _ entries: StateEntries) -> [Product] {
        let known = Dictionary(entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        var keys = KeyMaker(taken: entries.keys)
        return products.map { Product(key: known[$0.id] ?? keys.key(name: $0.name, id: $0.id), live: $0) }
    }

    // MARK: Pictures

    private typealias Pictures = [ExactText: Result<PictureLibrary.Stored, LiveProductWriter.PictureTrouble>]

    /// The pictures of all products by their addresses.
    private func fetch(_ products: [Product], _ session: Session) async throws -> Pictures {
        var wanted: [(url: String, product: LiveProduct)] = []
        var seen: Set<ExactText> = []
        for product in products {
            for image in product.live.images ?? [] where seen.insert(ExactText(image.url)).inserted {
                wanted.append((image.url, product.live))
            }
        }
        guard !wanted.isEmpty else { return [:] }
        // A folder that the manifest cannot name is refused before anything is fetched.
        _ = try prefix()
        let library = try PictureLibrary(images)
        var pictures: Pictures = [:]
        try await forEachConcurrently(wanted, width: session.configuration.parallelism) { item in
            try await library.picture(at: item.url, of: item.product, from: session)
        } collect: { item, result in
            pictures[ExactText(item.url)] = result
        }
        return pictures
    }

    /// The pictures of a product as files beside the manifest.
    private func files(
        of product: Product,
        _ pictures: Pictures,
        _ library: PictureLibrary,
        prefix: String
    ) throws -> Result<[LiveProductWriter.PictureFile], LiveProductWriter.PictureTrouble> {
        var files: [LiveProductWriter.PictureFile] = []
        let stem = PictureLibrary.stem(key: product.key, of: product.live)
        for (index, image) in (product.live.images ?? []).enumerated() {
            switch pictures[image.url] {
            case .success(let stored):
                // Only what a manifest can name gets a name.
                let name = stored.fault == nil ? try library.link(stored, as: "\(stem)-\(index + 1)") : ""
                files.append(.init(path: prefix + name, byteCount: stored.byteCount, fault: stored.fault))
            case .failure(let trouble): return .failure(trouble)
            case nil: return .failure(.init("the market shows no address of a picture"))
            }
        }
        return .success(files)
    }

    /// The way from the manifest's folder to the pictures.
    private func prefix() throws -> String {
        func absolute(_ path: String) -> String {
            URL(fileURLWithPath: path.isEmpty ? "." : path).resolvingSymlinksInPath().path
        }
        let folder = absolute(Self.folder(of: path))
        let target = absolute(images)
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        guard target.utf8.starts(with: start.utf8) else {
            throw CommandFailure(
                .usage,
                "\(Setting.images.flag) \(images) is not below the manifest's folder",
                help: "a manifest names only pictures below its own folder"
            )
        }
        return String(decoding: target.utf8.dropFirst(start.utf8.count), as: UTF8.self) + "/"
    }

    // MARK: Manifest

    private func manifest(
        of products: [Product],
        _ pictures: Pictures,
        vendorID: Int64?
    ) throws -> (bytes: [UInt8], omissions: [LiveProductWriter.Omission]) {
        let profile = market.profile ?? .v2b
        var live = LiveProductWriter(profile: profile, limits: market.limits, widensLimits: others.isEmpty)
        var written: [ManifestProduct] = []
        if pictures.isEmpty {
            written = products.map { live.product($0.live, key: $0.key, pictures: .success([])) }
        } else {
            let library = try PictureLibrary(images)
            let prefix = try prefix()
            for product in products {
                let files = try files(of: product, pictures, library, prefix: prefix)
                written.append(live.product(product.live, key: product.key, pictures: files))
            }
        }
        var head = ManifestHead()
        if others.isEmpty {
            head = ManifestHead(market)
            head.limits = live.limits
            head.vendorID = vendorID
        }
        head.comments = [remark]
        var writer = ManifestWriter(head)
        for product in written { writer.append(product) }
        writer.finish()
        return (try writer.takeBytes(), live.omissions)
    }

    // MARK: State

    /// Takes the products over as the manifest has them.
    ///
    /// - Returns: whether any of them changed meanwhile: the next plan shows that.
    private func bind(_ products: [Product], in session: Session) async throws -> Bool {
        let loaded = await ManifestLoader(options: options).load(others + [path])
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
            console.report(loaded.diagnostics.filter { $0.severity == .error })
            throw CommandFailure(.failure, "the manifest that was written is not valid; the state was left alone")
        }
        let keys = Set(products.map(\.key))
        var planned = try await session.plan(manifest, after: session.preview(), refresh: .full)
        let errors = planned.plan.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else {
            console.report(errors)
            throw CommandFailure(.failure, "the state was left alone: \(DiagnosticRenderer.count(errors))")
        }
        let operations = planned.plan.operations
        planned.plan.operations = operations.filter { $0.action == .adopt && keys.contains($0.key) }
        planned.plan.refusals = []
        planned.plan.stateUpdates = planned.plan.stateUpdates.filter { update in
            if case .put(let entry) = update { keys.contains(entry.key) } else { false }
        }
        _ = try await session.apply(planned, manifest: manifest.digest)
        return operations.contains { $0.action != .adopt && keys.contains($0.key) }
    }
}

/// What a pull made.
struct PulledShop: Sendable {
    var path: String
    var products: Int
    var pictures: Int
    /// How many pictures the market did not give, and may give another time.
    var missing: Int
    var omissions: [LiveProductWriter.Omission]
    var catalogMoved: Bool

    /// Most fields of one kind that are named one by one for people.
    private static let most = 20

    /// Says what was made, and what was left out.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(document.bytes() + Array("\n".utf8)) }
        for omission in omissions.prefix(Self.most) {
            console.note(
                "warning: '\(omission.key.terminalSafe)' (\(omission.id)): \(omission.field.rawValue) is not managed: "
                    + omission.reason.terminalSafe
            )
        }
        if omissions.count > Self.most {
            console.note("warning: and \(omissions.count - Self.most) more, each named in \(path.terminalSafe)")
        }
        try console.write(
            "Pulled \(counted(products, "product")) and \(counted(pictures, "picture")) into \(path.terminalSafe)\n"
        )
    }

    private var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("products", .integer(Int64(products))),
            ("pictures", .integer(Int64(pictures))),
            ("missing_pictures", .integer(Int64(missing))),
            ("catalog_moved", .bool(catalogMoved)),
            (
                "not_managed",
                .array(
                    omissions.map {
                        .object(
                            of: ("key", .string($0.key)),
                            ("id", .integer($0.id.rawValue)),
                            ("field", .string($0.field.rawValue)),
                            ("reason", .string($0.reason))
                        )
                    }
                )
            )
        )
    }
}
