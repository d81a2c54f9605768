import FoundationEssentials
package import OpenMarket
import OpenMarketDescription
package import OpenMarketFiles
package import OpenMarketManifest

/// Makes a manifest of what the market shows, and binds the state to it.
///
/// Pictures first, then the manifest, whole or not at all, then the state. A run that is killed in between loses nothing:
/// the next one finds the pictures, and a manifest that is as it would write it; and every product has its `id` there, by
/// which `apply` binds it, too.
package struct PullRun: Sendable {
    /// The manifest to write.
    let path: String
    /// The manifests that stay, with the market's section; what they list is not written a second time.
    private let others: [String]
    /// The manifest that is read and not written, though it has products of the same state; `nil` where there is none.
    private let original: String?
    /// Where the pictures go.
    private let images: String
    private let market: MarketSettings
    /// The market that the manifest is for, where that is another one.
    private let destination: MarketSettings?
    /// What no product of the manifest may hold.
    private let credentials: CredentialTexts
    private let request: PullRequest
    /// Whether the products of an existing manifest are written again.
    private let replaces: Bool
    /// Whether what cannot be kept of it is dropped.
    private let discards: Bool
    /// Whether the state takes the products over.
    private let managesProducts: Bool
    /// How the manifest is read back.
    private let options: ManifestOptions

    /// A pull.
    ///
    /// - Parameters:
    ///   - path: The manifest to write; the standard one unless specified.
    ///   - target: The market.
    ///   - manifest: What is known of the market. Its files stay part of the manifest, unless it is one file with products:
    ///     that is another manifest.
    ///   - destination: The market that the manifest is for, where that is another one: products have no ids, and only what that
    ///     market takes; nothing is managed, and nothing is kept of a manifest that exists.
    ///   - images: Where the pictures go; beside the manifest unless specified.
    ///   - ids: Only these products, as a person wrote their ids; all of ours where there are none.
    ///   - vendorID: Our vendor number; the manifest's unless specified.
    ///   - vouched: Whether the user vouches that what is not provably another vendor's is ours.
    ///   - replaces: Whether the products of an existing manifest are written again.
    ///   - discards: Whether what cannot be kept of it is dropped.
    ///   - managesProducts: Whether the state takes the products over; otherwise only files are written.
    ///   - options: How the manifest is read back.
    /// - Throws: ``MarketTargetError/identifierMissing``, ``PullRequest/NotAnID``, ``PullError/vendorsAreTexts(_:)``,
    ///   ``PullError/table(_:)`` and ``PullError/source(_:read:)``.
    package init(
        path: String? = nil,
        from target: MarketTarget,
        _ manifest: MarketOnlyManifest,
        for destination: PullDestination? = nil,
        images: String? = nil,
        ids: [String] = [],
        vendorID: Int64? = nil,
        vouched: Bool = false,
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
            // Files alone may say what is not proved to be ours.
            vouched: vouched || !self.managesProducts
        )
        let path = path ?? ManifestSelection.standard
        let destination = destination?.manifest
        guard !ManifestLoader.isTable(path) else { throw PullError.table(path) }
        // Nothing is kept of such a file, so a manifest that is read is never written over.
        if let destination,
            let read = (manifest.files + destination.files).first(where: { FileSystem.areSame($0, path) })
        {
            throw PullError.source(path, read: read)
        }
        self.path = path
        let isCopy = manifest.hasProducts && manifest.files.count == 1
        original = isCopy ? manifest.files.first { !FileSystem.areSame($0, path) } : nil
        others = isCopy || destination != nil ? [] : manifest.files.filter { !FileSystem.areSame($0, path) }
        self.images = images ?? FileSystem.prefix(of: path) + "images"
        market = manifest.settings
        self.destination = destination?.settings
        credentials = CredentialTexts(manifest.credentials.union(destination?.credentials ?? []))
        self.replaces = replaces
        self.discards = discards
        self.options = options
        PictureLibrary.note(self.images)
    }

    /// The files of the manifest once it is written.
    package var manifestFiles: [String] { others + [path] }

    /// Declares the manifest, which may be one that is read.
    ///
    /// - Parameter name: What it is called in messages.
    /// - Throws: `FileConflict`.
    package func declare(named name: String) throws(FileConflict) {
        try FileRegister.current.declare(path, named: name, as: .yaml, replacing: .manifest)
    }

    /// Pulls from a market; the state is held where it takes the products over.
    ///
    /// What stops it is reported, where that is more than one sentence.
    ///
    /// - Parameters:
    ///   - work: Market and state.
    ///   - acceptance: How a described market is accepted, which the state has to know before it takes products over.
    /// - Returns: What was pulled.
    /// - Throws: ``PullError``, ``SessionError``, ``MarketTrustError``, `MarketError`, what the state and the acceptance throw, and
    ///   `FileError`.
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

    /// A product that becomes part of the manifest.
    private struct Product {
        var key: String
        var live: LiveProduct
    }

    /// Pulls.
    ///
    /// - Throws: ``PullError``, ``SessionError``, `MarketError`, what the state throws, and `FileError`.
    func run(in session: Session) async throws -> PulledShop {
        let snapshot = try await known(in: session)
        let exists = FileSystem.exists(path)
        // A manifest that a pull did not write cannot be what this one would, so nothing is fetched for it.
        if exists, !replaces, try !InputFile.bytes(of: path, as: .manifest).starts(with: "# \(remark)".utf8) {
            throw PullError.inTheWay(path)
        }
        if managesProducts { try await session.requireAccepted() }
        let earlier = exists && destination == nil ? try await earlier() : nil
        let catalog = try await session.pull(request, knowing: snapshot)
        guard !catalog.products.isEmpty else {
            throw PullError.empty
        }
        let elsewhere = await Elsewhere(in: others, options: options, entries: snapshot.entries)
        let wanted = catalog.products.filter { !elsewhere.lists($0) }
        guard !wanted.isEmpty else { throw PullError.allElsewhere(catalog.products.count) }
        let products = keyed(wanted, snapshot.entries, earlier, elsewhere.keys)
        try requireOneManifest(of: products, snapshot.entries, elsewhere, earlier)
        let pictures = takesPictures ? try await fetch(products, session) : [:]
        let written = try manifest(of: products, pictures, catalog.vendorID, earlier, snapshot.entries)
        let made = try await place(written.bytes, losses: written.losses, exists: exists)
        let digests = pictures.compactMapValues { try? $0.get().digest }
        var moved = false
        if managesProducts, let made {
            moved = try await session.knowing(digests).adopt(Set(products.map(\.key)), of: made)
        }
        return PulledShop(
            path: path,
            products: products.count,
            pictures: Set(digests.values).count,
            missing: pictures.values.count { if case .failure(let trouble) = $0 { trouble.mayPass } else { false } },
            omissions: written.omissions,
            secrets: written.secrets,
            losses: written.losses,
            catalogMoved: moved ? true : catalog.catalogMoved,
            isProved: catalog.isProved,
            lostRows: catalog.lostRows,
            elsewhere: catalog.products.count - wanted.count
        )
    }

    /// Makes sure that products which the state takes over are in the one manifest of all that it manages: of two manifests each
    /// deletes what only the other one lists.
    ///
    /// What the state knows already may be written by itself: it is how a lost manifest comes back.
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
        // Where no manifest that is known here lists what is managed, another one does, unless it is the one that is dropped.
        let isDropped = earlier == nil && FileSystem.exists(path)
        guard !listed.isEmpty || isDropped else { throw .managedElsewhere(entries.count) }
    }

    /// What the state knows: settled first, where it is to take products over.
    private func known(in session: Session) async throws -> StateSnapshot {
        guard managesProducts else { return try await session.state.snapshot() }
        let recovered = try await session.settle()
        try recovered.requireResolved()
        return recovered.snapshot
    }

    /// What a manifest that was pulled begins with.
    private var remark: String {
        let purpose = destination?.profile.map { ", for \($0)" } ?? ""
        return "Pulled by openmarket from \(market.url ?? ""), \(market.profile ?? .v2b)\(purpose)."
    }

    /// Whether the market that the manifest is for can be given pictures.
    private var takesPictures: Bool {
        picturesWithheld == nil
            && !(destination?.profile?.capabilities.unsayableFields.contains(.images) ?? false)
    }

    /// Why pictures stay behind that the market could be given.
    private var picturesWithheld: LiveProductWriter.PictureTrouble? {
        guard let destination, let profile = destination.profile, profile.capabilities.pictureStyle == .url,
            destination.picturesURL == nil
        else { return nil }
        return .init(
            "\(profile.name) fetches pictures itself, and 'market.pictures_url' does not say where they are served"
        )
    }

    /// The products with their keys: those that the manifest or the state has, else made of their names.
    private func keyed(
        _ products: [LiveProduct],
        _ entries: StateEntries,
        _ earlier: EarlierManifest?,
        _ elsewhere: Set<String>
    ) -> [Product] {
        let known = Dictionary(entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        var keys = KeyMaker(taken: Array(entries.keys) + (earlier?.keys ?? []) + elsewhere, credentials: credentials)
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
        var loaded = await ManifestLoader(options: options).load(manifestFiles)
        if loaded.hasErrors {
            // Pictures that are lost or damaged are fetched again.
            options.readsPictures = false
            loaded = await ManifestLoader(options: options).load(manifestFiles)
        }
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
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

    /// Puts the manifest in its place.
    ///
    /// - Returns: What it says; `nil` where it is for another market, with whose section it is read.
    private func place(
        _ bytes: [UInt8],
        losses: [EarlierManifest.Loss],
        exists: Bool
    ) async throws -> Manifest? {
        let isAsWanted = try exists && InputFile.bytes(of: path, as: .manifest) == bytes
        if exists, !replaces {
            guard isAsWanted else { throw PullError.inTheWay(path) }
            return destination == nil ? try await read(path) : nil
        }
        guard discards || losses.isEmpty else { throw PullError.wouldLose(losses, of: path) }
        guard destination != nil else { return try await write(bytes, exists: exists) }
        guard !isAsWanted else { return nil }
        guard discards || !exists else {
            throw PullError.unusable(
                path,
                reason: "what is pulled for another market takes the place of the whole file"
            )
        }
        let file = exists ? try AtomicFile.rewriting(path) : try AtomicFile(path, replaces: false)
        try file.write(bytes)
        try file.commit()
        return nil
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
            throw PullError.wouldBeInvalid(loaded.diagnostics.filter { $0.severity == .error })
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
            throw PullError.picturesOutside(images)
        }
        return String(decoding: target.utf8.dropFirst(start.utf8.count), as: UTF8.self) + "/"
    }

    // MARK: Manifest

    /// What is to be written, and what is not in it: of the market, of the state, and of the manifest that is there.
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
        _ earlier: EarlierManifest?,
        _ entries: StateEntries
    ) throws -> Text {
        let profile = (destination ?? market).profile ?? .v2b
        let writesHead = others.isEmpty && earlier == nil && destination == nil
        var live = LiveProductWriter(
            profile: profile,
            limits: (destination ?? market).limits,
            credentials: credentials,
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
                // What the manifest says of a product that it lists stays as it is.
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
            let merged = try earlier.merged(with: pulled, remark: remark)
            return Text(bytes: merged.bytes, omissions: live.omissions, secrets: unsaid, losses: merged.losses)
        }
        var head = ManifestHead()
        if writesHead {
            head = ManifestHead(market)
            head.descriptionFile = market.descriptionFile.map(named)
            head.limits = live.limits
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
    /// What is reported beside it; `nil` where it says all.
    fileprivate var event: SessionEvent? {
        switch self {
        case .wouldBeInvalid(let diagnostics), .notAdopted(let diagnostics): .faults(diagnostics)
        case .wouldLose(let losses, let path): .losses(losses, of: path)
        default: nil
        }
    }
}
