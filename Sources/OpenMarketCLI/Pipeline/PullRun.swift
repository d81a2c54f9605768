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
    /// What no product of the manifest may hold.
    let credentials: CredentialTexts
    let request: PullRequest
    /// Whether the products of a manifest that exists are written anew.
    let replaces: Bool
    /// Whether what cannot be kept of it is dropped.
    let discards: Bool
    /// How the manifest is read back.
    let options: ManifestOptions
    let console: Console

    /// A product that becomes part of the manifest.
    private struct Product {
        var key: String
        var live: LiveProduct
    }

    /// Pulls.
    func run(in session: Session) async throws -> PulledShop {
        let recovered = try await session.settle()
        try recovered.requireResolved()
        let exists = FileManager.default.fileExists(atPath: path)
        // A manifest that a pull did not write cannot be what this one would, so nothing is fetched for it.
        if exists, !replaces, try !InputFile.bytes(of: path, as: .manifest).starts(with: "# \(remark)".utf8) {
            throw inTheWay
        }
        let earlier = exists ? try await earlier() : nil
        let catalog = try await session.pull(request, knowing: recovered.snapshot)
        guard !catalog.products.isEmpty else {
            throw CommandFailure(.refused, "the market shows no products of ours; nothing was written")
        }
        let products = keyed(catalog.products, recovered.snapshot.entries, earlier)
        let pictures = try await fetch(products, session)
        let written = try manifest(of: products, pictures, catalog.vendorID, earlier, recovered.snapshot.entries)
        let made: Manifest
        if exists, !replaces {
            guard try InputFile.bytes(of: path, as: .manifest) == written.bytes else { throw inTheWay }
            made = try await read(path)
        } else {
            if !discards { try refuse(written.losses) }
            made = try await write(written.bytes, exists: exists)
        }
        let digests = pictures.compactMapValues { try? $0.get().digest }
        let moved = try await bind(products, to: made, in: session.knowing(digests))
        return PulledShop(
            path: path,
            products: products.count,
            pictures: Set(digests.values).count,
            missing: pictures.values.count { if case .failure(let trouble) = $0 { trouble.mayPass } else { false } },
            omissions: written.omissions,
            losses: written.losses,
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

    /// The products with their keys: those that the manifest or the state has, else made of their names.
    private func keyed(
        _ products: [LiveProduct],
        _ entries: StateEntries,
        _ earlier: EarlierManifest?
    ) -> [Product] {
        let known = Dictionary(entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        var keys = KeyMaker(taken: Array(entries.keys) + (earlier?.keys ?? []), credentials: credentials)
        let keyed = products.map { product in
            let key = earlier?.key(of: product.id, known: known[product.id]) ?? known[product.id]
            return Product(key: key ?? keys.key(name: product.name, id: product.id), live: product)
        }
        // What must not exist stays in the manifest as that.
        return keyed.filter { !(earlier?.isTombstone($0.key) ?? false) }
    }

    // MARK: The manifest that is there

    /// What it says that the market does not show; `nil` where it is to be dropped because that cannot be known.
    private func earlier() async throws -> EarlierManifest? {
        var options = options
        options.toleratesUnset = .market
        var loaded = await ManifestLoader(options: options).load(others + [path])
        if loaded.hasErrors {
            // Pictures that are lost or damaged are fetched again.
            options.readsPictures = false
            loaded = await ManifestLoader(options: options).load(others + [path])
        }
        do {
            guard !loaded.hasErrors, let manifest = loaded.manifest else {
                throw EarlierManifest.Unusable(
                    reason: "it is not valid: \(DiagnosticRenderer.count(loaded.diagnostics))"
                )
            }
            return try EarlierManifest(InputFile.bytes(of: path, as: .manifest), named: path, of: manifest, for: market)
        } catch let error as EarlierManifest.Unusable {
            guard !discards else { return nil }
            throw CommandFailure(
                .failure,
                "nothing of \(path) can be kept, for \(error.reason); it was left alone",
                help: "name another file with \(Setting.out.flag), or drop all it says with \(Setting.discard.flag)"
            )
        }
    }

    /// - Throws: ``CommandFailure`` where something would be gone, after naming it.
    private func refuse(_ losses: [EarlierManifest.Loss]) throws {
        guard !losses.isEmpty else { return }
        for loss in losses.prefix(PulledShop.most) {
            console.note("\(path):\(loss.line): would be gone: \(loss.what)".terminalSafe)
        }
        if losses.count > PulledShop.most { console.note("and \(losses.count - PulledShop.most) more") }
        throw CommandFailure(
            .failure,
            "\(path) says what a pull cannot keep; it was left alone",
            help:
                "drop it with \(Setting.discard.flag); or write what was changed on the market alone: openmarket pull "
                + Setting.drift.flag
        )
    }

    /// Writes the file, and reads it back before it takes its place.
    private func write(_ bytes: [UInt8], exists: Bool) async throws -> Manifest {
        let file = exists ? try AtomicFile.rewriting(path) : try AtomicFile(path, replaces: false)
        try file.write(bytes)
        guard let temporary = file.temporaryPath() else { return try await read(path) }
        let manifest = try await read(temporary)
        try file.commit()
        return manifest
    }

    private func read(_ path: String) async throws -> Manifest {
        let loaded = await ManifestLoader(options: options).load(others + [path])
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
            console.report(loaded.diagnostics.filter { $0.severity == .error })
            throw CommandFailure(.failure, "what was to be written is not valid; manifest and state were left alone")
        }
        return manifest
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
        let folder = absolute(FileSystem.prefix(of: path))
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

    /// What is to be written, and what is not in it: of the market, and of the manifest that is there.
    private func manifest(
        of products: [Product],
        _ pictures: Pictures,
        _ vendorID: Int64?,
        _ earlier: EarlierManifest?,
        _ entries: StateEntries
    ) throws -> (bytes: [UInt8], omissions: [LiveProductWriter.Omission], losses: [EarlierManifest.Loss]) {
        let profile = market.profile ?? .v2b
        let writesHead = others.isEmpty && earlier == nil
        var live = LiveProductWriter(
            profile: profile,
            limits: market.limits,
            credentials: credentials,
            widensLimits: writesHead
        )
        let library = pictures.isEmpty ? nil : try PictureLibrary(images)
        let prefix = pictures.isEmpty ? "" : try prefix()
        let written = try products.map { product in
            let files = try library.map { try self.files(of: product, pictures, $0, prefix: prefix) } ?? .success([])
            return live.product(product.live, key: product.key, pictures: files)
        }
        if let earlier {
            let digests = pictures.compactMapValues { try? $0.get().digest }
            let pulled = zip(products, written).map { product, written in
                let entry = entries[product.key].flatMap { $0.id == product.live.id ? $0 : nil }
                let shown = product.live.values(entry: entry, digests: digests, capabilities: profile.capabilities)
                return EarlierManifest.Pulled(product: written, shown: shown)
            }
            let merged = try earlier.merged(with: pulled, remark: remark)
            return (merged.bytes, live.omissions, merged.losses)
        }
        var head = ManifestHead()
        if writesHead {
            head = ManifestHead(market)
            head.limits = live.limits
            head.vendorID = vendorID
        }
        head.comments = [remark]
        var writer = ManifestWriter(head)
        for product in written { writer.append(product) }
        writer.finish()
        return (try writer.takeBytes(), live.omissions, [])
    }

    // MARK: State

    /// Takes the products over as the manifest has them.
    ///
    /// - Returns: whether any of them changed meanwhile: the next plan shows that.
    private func bind(_ products: [Product], to manifest: Manifest, in session: Session) async throws -> Bool {
        let keys = Set(products.map(\.key))
        var planned = try await session.plan(manifest, refresh: .full)
        let errors = planned.plan.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else {
            console.report(errors)
            throw CommandFailure(.failure, "the state was left alone: \(DiagnosticRenderer.count(errors))")
        }
        let operations = planned.plan.operations
        planned.plan.operations = operations.filter { $0.action == .adopt && keys.contains($0.key) }
        planned.plan.refusals = []
        planned.plan.stateUpdates = planned.plan.stateUpdates.filter { update in
            switch update {
            case .put(let entry): keys.contains(entry.key)
            case .rename(_, let key): keys.contains(key)
            default: false
            }
        }
        _ = try await session.apply(planned, manifest: manifest.digest, asksOwners: false)
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
    /// What the manifest before said, and this one does not.
    var losses: [EarlierManifest.Loss]
    var catalogMoved: Bool

    /// Most fields of one kind that are named one by one for people.
    static let most = 20

    /// Says what was made, and what was left out.
    func write(to console: Console, isJSON: Bool) throws {
        guard !isJSON else { return try console.write(json: document.bytes() + Array("\n".utf8)) }
        for omission in omissions.prefix(Self.most) {
            console.note(
                "warning: '\(omission.key.terminalSafe)' (\(omission.id)): \(omission.field.rawValue) is not managed: "
                    + omission.reason.terminalSafe
            )
        }
        if omissions.count > Self.most {
            console.note("warning: and \(omissions.count - Self.most) more, each named in \(path.terminalSafe)")
        }
        for loss in losses.prefix(Self.most) { console.note("dropped: \(loss.what)".terminalSafe) }
        if losses.count > Self.most { console.note("dropped: and \(losses.count - Self.most) more") }
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
            ),
            ("dropped", losses.isEmpty ? nil : .array(losses.map { .string($0.what) }))
        )
    }
}
