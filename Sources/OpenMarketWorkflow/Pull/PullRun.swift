package import OpenMarket
import OpenMarketDescription
package import OpenMarketFiles
package import OpenMarketManifest

/// Creates a manifest of the market's products, and binds the state to it.
///
/// The pictures are written first, then the manifest, atomically, then the state. A killed run loses nothing: the next
/// run finds its pictures and its manifest. The manifest has every product's `id`, so `apply` can bind them, too.
package struct PullRun: Sendable {
    let path: String
    /// The other manifests, with the market's section; their products are not written a second time.
    private let others: [String]
    /// A manifest that is read but not written, although it has products of the same state.
    private let original: String?
    private let images: String
    /// The URL of a new manifest's folder, for a market that fetches pictures itself.
    private let picturesURL: String?
    private let market: MarketSettings
    /// The market that the manifest is for, if it is not the one that is read.
    private let destination: MarketSettings?
    private let request: PullRequest
    /// Whether the market may be asked to confirm a stated vendor number.
    private let provesVendor: Bool
    /// Whether the products of an existing manifest are written again.
    private let replaces: Bool
    /// Whether content of the existing manifest that cannot be kept is dropped.
    private let discards: Bool
    private let managesProducts: Bool
    /// The options for reading the written manifest.
    private let options: ManifestOptions

    /// Pulls the products `ids`, or all own products if there are none.
    ///
    /// The files of `manifest` stay part of the manifest. A single file with products is a separate manifest.
    ///
    /// With a `destination`, products have no ids, and only values that the destination accepts. The state adopts
    /// nothing, and nothing of an existing manifest is kept.
    ///
    /// - `path` defaults to the standard path, `images` to a folder beside the manifest, `vendorID` to the manifest's.
    /// - With `adopts`, the user confirms all products that are not provably another vendor's.
    /// - With `replaces`, the products of an existing manifest are written again.
    /// - With `discards`, content of the existing manifest that cannot be kept is dropped.
    /// - Without `managesProducts`, only files are written.
    package init(
        path: String? = nil,
        from target: MarketTarget,
        _ manifest: MarketOnlyManifest,
        for destination: PullDestination? = nil,
        images: String? = nil,
        picturesURL: String? = nil,
        ids: [String] = [],
        vendorID: Int64? = nil,
        adopts: Bool = false,
        replaces: Bool = false,
        discards: Bool = false,
        managesProducts: Bool = true,
        options: ManifestOptions
    ) throws {
        self.managesProducts = managesProducts && destination == nil
        if self.managesProducts { try target.requireVendor() }
        if vendorID != nil, target.profile.capabilities.vendorsAreTexts {
            throw PullError.vendorsAreTexts(target.profile.name)
        }
        request = try PullRequest(
            ids: ids,
            as: target.profile.capabilities.idKind,
            vendorID: vendorID ?? manifest.settings.vendorID,
            // Only a pull that writes nothing but files may list products of unproved ownership.
            adopts: adopts || !self.managesProducts
        )
        provesVendor = self.managesProducts && (try? target.requireCredentialsToWrite()) != nil
        let path = path ?? ManifestSelection.standard
        let destination = destination?.manifest
        guard !ManifestLoader.isTable(path) else { throw PullError.table(path) }
        // Nothing of the existing file is kept, so a manifest that is read must not be overwritten.
        if let destination,
            let read = (manifest.files + destination.files).first(where: { FileSystem.areSame($0, path) })
        {
            throw PullError.source(path, read: read)
        }
        guard
            !manifest.isAdjusted
                || !self.managesProducts && !manifest.files.contains(where: { FileSystem.areSame($0, path) })
        else { throw PullError.adjusted }
        self.path = path
        let isCopy = manifest.hasProducts && manifest.files.count == 1
        original = isCopy ? manifest.files.first { !FileSystem.areSame($0, path) } : nil
        others = isCopy || destination != nil ? [] : manifest.files.filter { !FileSystem.areSame($0, path) }
        self.images = images ?? FileSystem.prefix(of: path) + "images"
        self.picturesURL = picturesURL
        market = manifest.settings
        self.destination = destination?.settings
        self.replaces = replaces
        self.discards = discards
        self.options = options
        PictureLibrary.note(self.images)
    }

    package var manifestFiles: [String] { others + [path] }

    /// Declares the output, which may replace a manifest that is read; `name` names it in messages.
    package func declare(named name: String) throws(FileConflict) {
        try FileRegister.current.declare(path, named: name, as: .yaml, replacing: .manifest)
    }

    /// Pulls from a market; holds the state if it adopts products.
    ///
    /// Errors of more than one sentence are also reported as events.
    ///
    /// `acceptance` accepts a described market. The state must know the description before it adopts products.
    package func run(
        with work: MarketWork<some MarketConnection>,
        accepting acceptance: DescriptionAcceptance? = nil
    ) async throws -> PulledShop {
        do {
            guard managesProducts else { return try await work.reading { session, _ in try await run(in: session) } }
            return try await work.holding(for: "pull", accepting: acceptance) { try await run(in: $0) }
        } catch let error as PullError {
            if let event = error.event { work.onEvent(event) }
            throw error
        }
    }

    private struct Product {
        var key: String
        var live: LiveProduct
    }

    func run(in session: Session) async throws -> PulledShop {
        let snapshot = try await known(in: session)
        let exists = FileSystem.exists(path)
        // A manifest that no pull wrote cannot equal the new one, so nothing is fetched for it.
        if exists, !replaces, try !InputFile.bytes(of: path, as: .manifest).starts(with: "# \(remark)".utf8) {
            throw PullError.inTheWay(path)
        }
        if managesProducts { try await session.requireAccepted() }
        let earlier = exists && destination == nil ? try await earlier() : nil
        let catalog = try await session.pull(request, knowing: snapshot, provesVendor: provesVendor)
        guard !catalog.products.isEmpty else {
            throw PullError.empty
        }
        let elsewhere = await Elsewhere(in: others, options: options, entries: snapshot.entries)
        let wanted = catalog.products.filter { !elsewhere.lists($0) }
        guard !wanted.isEmpty else { throw PullError.allElsewhere(catalog.products.count) }
        let given = keyed(wanted, catalog.carriedKeys, snapshot.entries, earlier, elsewhere.keys)
        let products = given.filter(\.live.isManageable)
        let otherKinds = given.filter { !$0.live.isManageable }
        guard products.count + otherKinds.count(where: { earlier?.keys.contains($0.key) ?? false }) > 0 else {
            throw PullError.empty
        }
        try requireOneManifest(of: products, snapshot.entries, elsewhere, earlier)
        try requirePicturesURL(for: products, keepsHead: earlier != nil || !others.isEmpty)
        let pictures = takesPictures ? try await fetch(products, session) : [:]
        let written = try manifest(
            of: products,
            pictures,
            catalog.vendorID,
            keeping: Set(otherKinds.map(\.key)),
            earlier,
            snapshot.entries
        )
        let digests = pictures.compactMapValues { try? $0.get().digest }
        var adoptions: Session.Adoptions?
        try await place(written.bytes, losses: written.losses, exists: exists) { made in
            guard managesProducts else { return }
            let keys = Set(products.map(\.key))
            adoptions = try await session.knowing(digests).adoptions(of: keys, as: made)
        }
        if let adoptions {
            let record = session.runRecord(manifest: adoptions.manifest)
            _ = try await session.apply(adoptions.planned, as: record, asksOwners: false)
        }
        return PulledShop(
            path: path,
            products: products.count,
            pictures: Set(digests.values).count,
            missing: pictures.values.count { if case .failure(let trouble) = $0 { trouble.mayPass } else { false } },
            omissions: written.omissions,
            secrets: written.secrets,
            losses: written.losses,
            catalogMoved: adoptions?.hasMoved == true ? true : catalog.catalogMoved,
            isProved: catalog.isProved,
            lostRows: catalog.lostRows,
            elsewhere: catalog.products.count - wanted.count,
            otherKinds: otherKinds.map { LeftOutProduct($0.live) }
        )
    }

    /// Checks that adopted products are in the only manifest of this state.
    ///
    /// Of two manifests, each deletes the products that only the other one lists. Known products may be written alone,
    /// to restore a lost manifest.
    private func requireOneManifest(
        of products: [Product],
        _ entries: StateEntries,
        _ elsewhere: Elsewhere,
        _ earlier: EarlierManifest?
    ) throws(PullError) {
        guard managesProducts, !entries.isEmpty, products.contains(where: { entries[$0.key]?.id != $0.live.id }) else {
            return
        }
        if let original { throw .secondManifest(of: original) }
        let listed = entries.values.filter { entry in
            elsewhere.lists(entry) || earlier?.key(of: entry.id, known: entry.key) != nil
        }
        if !request.ids.isEmpty, earlier == nil {
            let written = Set(listed.map(\.key) + products.map(\.key))
            let left = entries.keys.count { !written.contains($0) }
            guard left == 0 else { throw .leavesOut(left) }
        }
        // If no known manifest lists the managed products, an unknown one does, or the one at `path` that is dropped.
        let isDropped = earlier == nil && FileSystem.exists(path)
        guard !listed.isEmpty || isDropped else { throw .managedElsewhere(entries.count) }
    }

    /// The state's snapshot, settled first if the state adopts products.
    private func known(in session: Session) async throws -> StateSnapshot {
        guard managesProducts else { return try await session.state.snapshot() }
        let recovered = try await session.settle()
        try recovered.requireResolved()
        return recovered.snapshot
    }

    /// The comment in the first line of a pulled manifest.
    private var remark: String {
        let purpose = destination?.profile.map { ", for \($0)" } ?? ""
        return "Pulled by openmarket from \(market.url ?? ""), \(market.profile ?? .standard)\(purpose)."
    }

    private var takesPictures: Bool {
        picturesWithheld == nil
            && !((destination ?? market).profile?.capabilities.unsayableFields.contains(.images) ?? false)
    }

    /// The reason to leave out pictures that the market could accept.
    private var picturesWithheld: LiveProductWriter.PictureTrouble? {
        guard let destination, let profile = destination.profile, profile.capabilities.pictureStyle == .url,
            destination.picturesURL == nil
        else { return nil }
        return .init(
            "\(profile.name) fetches pictures itself, and 'market.pictures_url' is not set"
        )
    }

    /// Before any fetch, checks that a URL is set for a market that fetches pictures itself.
    private func requirePicturesURL(for products: [Product], keepsHead: Bool) throws(PullError) {
        guard destination == nil, let profile = market.profile, profile.capabilities.pictureStyle == .url else {
            return
        }
        let isKnown = market.picturesURL != nil || picturesURL != nil && !keepsHead
        guard !isKnown, products.contains(where: { $0.live.images?.isEmpty == false }) else { return }
        throw .picturesUnserved(profile.name, keepsHead: keepsHead)
    }

    /// The products with their keys.
    ///
    /// A key comes from the manifest or the state, else from the product if it is unique, else from the product's name.
    private func keyed(
        _ products: [LiveProduct],
        _ carried: [String],
        _ entries: StateEntries,
        _ earlier: EarlierManifest?,
        _ elsewhere: Set<String>
    ) -> [Product] {
        let known = Dictionary(entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        var keys = KeyMaker(
            taken: Array(entries.keys) + (earlier?.keys ?? []) + elsewhere,
            carried: carried,
            limit: (destination ?? market).profile?.capabilities.key?.characterLimit
        )
        let keyed = products.map { product in
            let key = earlier?.key(of: product.id, known: known[product.id]) ?? known[product.id]
            return Product(
                key: key ?? keys.key(carried: product.key, name: product.name, id: product.id),
                live: product
            )
        }
        // A tombstone stays a tombstone in the manifest.
        return keyed.filter { !(earlier?.isTombstone($0.key) ?? false) }
    }

    // MARK: Existing manifest

    /// The existing manifest's content that the market does not show; `nil` if it is unknown and dropped.
    private func earlier() async throws -> EarlierManifest? {
        var options = options
        options.toleratesUnset = .market
        var loaded = await ManifestLoader(options: options).load(manifestFiles)
        if !faults(of: loaded).isEmpty {
            // Lost or damaged pictures are fetched again.
            options.readsPictures = false
            loaded = await ManifestLoader(options: options).load(manifestFiles)
        }
        guard faults(of: loaded).isEmpty, let manifest = loaded.manifest else {
            guard discards else { throw PullError.invalid(loaded.diagnostics, in: path) }
            return nil
        }
        do {
            return try EarlierManifest(InputFile.bytes(of: path, as: .manifest), named: path, of: manifest, for: market)
        } catch let error as EarlierManifest.Unusable {
            guard discards else { throw PullError.unusable(path, reason: error.reason) }
            return nil
        }
    }

    /// Writes the manifest to its path, once `check` accepts the manifest as read back.
    ///
    /// A manifest for another market is not read back, because it lacks that market's section.
    private func place(
        _ bytes: [UInt8],
        losses: [EarlierManifest.Loss],
        exists: Bool,
        checking check: (Manifest) async throws -> Void
    ) async throws {
        let isAsWanted = try exists && InputFile.bytes(of: path, as: .manifest) == bytes
        if exists, !replaces {
            guard isAsWanted else { throw PullError.inTheWay(path) }
            if destination == nil { try await check(read()) }
            return
        }
        guard discards || losses.isEmpty else { throw PullError.wouldLose(losses, of: path) }
        guard destination != nil else { return try await write(bytes, exists: exists, checking: check) }
        guard !isAsWanted else { return }
        guard discards || !exists else {
            throw PullError.unusable(
                path,
                reason: "what is pulled for another market takes the place of the whole file"
            )
        }
        let file = exists ? try AtomicFile.rewriting(path) : try AtomicFile(path, replaces: false)
        try file.write(bytes)
        try file.commit()
    }

    /// Writes the file, and reads it back before it replaces the existing one.
    private func write(
        _ bytes: [UInt8],
        exists: Bool,
        checking check: (Manifest) async throws -> Void
    ) async throws {
        let file = exists ? try AtomicFile.rewriting(path) : try AtomicFile(path, replaces: false)
        try file.write(bytes)
        guard let temporary = file.temporaryPath() else { return try await check(read()) }
        try await check(read(from: temporary))
        try file.commit()
    }

    /// Reads the manifest; `temporary` is the path of its bytes until they are moved to `path`.
    private func read(from temporary: String? = nil) async throws -> Manifest {
        let loader = ManifestLoader(options: options, reading: temporary, as: path)
        let loaded = await loader.load(others + [temporary ?? path])
        let faults = faults(of: loaded)
        guard faults.isEmpty, let manifest = loaded.manifest else { throw PullError.wouldBeInvalid(faults) }
        return manifest
    }

    /// The faults that stop a pull.
    ///
    /// Errors in the other files count only if the state would delete their products.
    private func faults(of loaded: LoadedManifest) -> [Diagnostic] {
        loaded.diagnostics.filter { fault in
            fault.severity == .error && (managesProducts || !(fault.location.map { others.contains($0.file) } ?? false))
        }
    }

    // MARK: Pictures

    private typealias Pictures = [ExactText: Result<PictureLibrary.Stored, LiveProductWriter.PictureTrouble>]

    /// The pictures of all products, by their URLs.
    private func fetch(_ products: [Product], _ session: Session) async throws -> Pictures {
        var wanted: [(url: String, product: LiveProduct)] = []
        var seen: Set<ExactText> = []
        for product in products {
            for image in product.live.images ?? [] where seen.insert(ExactText(image.url)).inserted {
                wanted.append((image.url, product.live))
            }
        }
        guard !wanted.isEmpty else { return [:] }
        // A folder outside the manifest's is refused before anything is fetched.
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
                // Only pictures that are valid in a manifest get a name.
                let name = stored.fault == nil ? try library.link(stored, as: "\(stem)-\(index + 1)") : ""
                files.append(.init(path: prefix + name, byteCount: stored.byteCount, fault: stored.fault))
            case .failure(let trouble): return .failure(trouble)
            case nil: return .failure(.init("the market shows no address of a picture"))
            }
        }
        return .success(files)
    }

    /// The relative path from the manifest's folder to the pictures.
    private func prefix() throws -> String {
        let folder = FileSystem.absolute(FileSystem.folder(of: path))
        let target = FileSystem.absolute(images)
        guard FileSystem.contains(folder: folder, path: target) else { throw PullError.picturesOutside(images) }
        return DocumentPaths(folder: folder).relative(target, always: true) + "/"
    }

    // MARK: Manifest

    /// The text to write, and what it leaves out of the market, the state and the existing manifest.
    private struct Text {
        var bytes: [UInt8]
        var omissions: [LiveProductWriter.Omission]
        var secrets: [PulledShop.UnsaidSecret]
        var losses: [EarlierManifest.Loss] = []
    }

    private func manifest(
        of products: [Product],
        _ pictures: Pictures,
        _ vendorID: Int64?,
        keeping kept: Set<String>,
        _ earlier: EarlierManifest?,
        _ entries: StateEntries
    ) throws -> Text {
        let profile = (destination ?? market).profile ?? .standard
        let writesHead = others.isEmpty && earlier == nil && destination == nil
        var live = LiveProductWriter(
            profile: profile,
            limits: (destination ?? market).limits,
            widensLimits: writesHead,
            isForAnother: destination != nil
        )
        let library = pictures.isEmpty ? nil : try PictureLibrary(images)
        let prefix = pictures.isEmpty ? "" : try prefix()
        let listed = Set(earlier?.keys ?? [])
        var unsaid: [PulledShop.UnsaidSecret] = []
        let written = try products.map { product in
            let files: Result<[LiveProductWriter.PictureFile], LiveProductWriter.PictureTrouble> =
                if let picturesWithheld, product.live.images?.isEmpty == false {
                    .failure(picturesWithheld)
                } else { try library.map { try self.files(of: product, pictures, $0, prefix: prefix) } ?? .success([]) }
            var written = live.product(product.live, key: product.key, pictures: files)
            if let entry = entries[product.key], entry.id == product.live.id, destination == nil,
                // Products that the manifest already lists stay unchanged.
                !listed.contains(product.key)
            {
                written.isProtected = entry.isProtected ? true : nil
                guard profile.capabilities.hasItemPasswords, let secret = entry.secret else { return written }
                do throws(UnsayableSecret) {
                    written.secret = try sayable(secret)
                } catch {
                    written.comments.append("secret is not written: \(error.reason)")
                    unsaid.append(.init(key: product.key, id: product.live.id, reason: error.reason))
                }
            }
            return written
        }
        if let earlier {
            let digests = pictures.compactMapValues { try? $0.get().digest }
            let pulled = zip(products, written).map { product, written in
                let entry = entries[product.key].flatMap { $0.id == product.live.id ? $0 : nil }
                let shown = product.live.values(entry: entry, digests: digests, capabilities: profile.capabilities)
                return EarlierManifest.Pulled(product: written, shown: shown)
            }
            let merged = try earlier.merged(with: pulled, keeping: kept, remark: remark)
            return Text(bytes: merged.bytes, omissions: live.omissions, secrets: unsaid, losses: merged.losses)
        }
        var head = ManifestHead()
        if writesHead {
            head = ManifestHead(market)
            head.descriptionFile = market.descriptionFile.map(named)
            head.limits = live.limits
            head.picturesURL = market.picturesURL ?? picturesURL
            head.vendorID = vendorID
        }
        head.comments = [remark]
        nameSecrets(in: &head)
        var writer = ManifestWriter(head)
        for product in written { writer.append(product) }
        writer.finish()
        return Text(bytes: try writer.takeBytes(), omissions: live.omissions, secrets: unsaid)
    }
}

extension PullError {
    /// The event to report; `nil` if the error is complete without it.
    fileprivate var event: SessionEvent? {
        switch self {
        case .wouldBeInvalid(let diagnostics), .notAdopted(let diagnostics): .faults(diagnostics)
        case .wouldLose(let losses, let path): .losses(losses, of: path)
        default: nil
        }
    }
}
