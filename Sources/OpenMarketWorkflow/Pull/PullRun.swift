package import OpenMarket
import OpenMarketDescription
package import OpenMarketFiles
package import OpenMarketManifest

/// Takes the market's products into a manifest, with their pictures.
///
/// A ``DriftRun`` writes a manifest that is managed, new or not, with what ``news(for:_:_:_:into:in:)`` finds. One that
/// is not managed is written here.
package struct PullRun: Sendable {
    let path: String
    /// The other manifests, with the market's section; their products are not written a second time.
    private let others: [String]
    /// The files next to the state.
    package let stateFiles: [String]
    let images: String
    /// The URL of a new manifest's folder, for a market that fetches pictures itself.
    private let picturesURL: String?
    private let market: MarketSettings
    /// The market that the manifest is for, if it is not the one that is read.
    private let destination: MarketSettings?
    let request: PullRequest
    /// Whether the market may confirm a stated vendor number.
    let provesVendor: Bool
    private let managesProducts: Bool
    /// Whether this is a separate manifest of products that the read manifest may also list.
    private let isCopy: Bool
    /// The options for reading the written manifest.
    private let options: ManifestOptions

    /// Pulls the products `ids`, or all own products if it is empty.
    ///
    /// The files of `manifest` stay part of the manifest. A single file with products is a separate manifest.
    ///
    /// With a `destination`, products are written without ids, and only with values that the destination accepts. The
    /// state stays unchanged.
    ///
    /// - `path` defaults to the standard path, `images` to a folder next to the manifest, `vendorID` to the manifest's.
    /// - With `adopts`, the user confirms all products that are not provably another vendor's.
    /// - Without `managesProducts`, only files are written.
    package init(
        path: String? = nil,
        from target: MarketTarget,
        _ manifest: MarketOnlyManifest,
        for destination: MarketOnlyManifest? = nil,
        images: String? = nil,
        picturesURL: String? = nil,
        ids: [String] = [],
        vendorID: Int64? = nil,
        adopts: Bool = false,
        managesProducts: Bool = true,
        options: ManifestOptions
    ) throws {
        self.managesProducts = managesProducts && destination == nil
        if self.managesProducts { try target.requireVendor() }
        if let destination, destination.settings.profile == nil {
            let what = "\(destination.files.first ?? "") does not name its market"
            throw CommandFailure(.invalidInput, what, help: "it needs `market.api`")
        }
        if vendorID != nil, target.profile.capabilities.vendorsAreTexts {
            let what = "\(target.profile.name) shows owners as texts, which are not compared with a number"
            throw CommandFailure(.usage, what, help: "omit --vendor-id")
        }
        request = try PullRequest(
            ids: ids,
            as: target.profile.capabilities.idKind,
            vendorID: vendorID ?? manifest.settings.vendorID,
            // Only a pull that writes only files may list products of unproved ownership.
            adopts: adopts || !self.managesProducts
        )
        provesVendor = self.managesProducts && (try? target.requireCredentialsToWrite()) != nil
        let path = path ?? ManifestSelection.standard
        self.path = path
        isCopy = manifest.isWhole
        others = isCopy || destination != nil ? [] : manifest.files.filter { !FileSystem.areSame($0, path) }
        self.images = images ?? FileSystem.prefix(of: path) + "images"
        self.picturesURL = picturesURL
        market = manifest.settings
        self.destination = destination?.settings
        self.options = options
        let files = manifest.files
        let isRead = files.contains { FileSystem.areSame($0, path) }
        stateFiles =
            self.managesProducts && !isRead
            ? others + [path] : files.isEmpty ? [ManifestSelection.standard] : files
        PictureLibrary.note(self.images)
    }

    /// The options for reading the manifest of a destination, whose market only the file names.
    package static func destinationOptions(in environment: [String: String]) -> ManifestOptions {
        var options = ManifestOptions(
            environment: environment.filter { !ManifestOptions.marketVariables.contains($0.key) }
        )
        options.toleratesUnset = .market
        return options
    }

    /// Declares the output, which may replace a manifest that is read.
    package func declare() throws(FileConflict) {
        let replaceable: FileRole = destination == nil ? .manifest : []
        try FileRegister.current.declare(path, named: "--out", as: .yaml, replacing: replaceable)
    }

    struct Product {
        var key: String
        var live: LiveProduct
    }

    /// Writes a manifest that is not managed; the state is only read.
    package func run(with work: MarketWork<some MarketConnection>) async throws -> PulledShop {
        try await work.reading { session, _ in try await run(in: session) }
    }

    func run(in session: Session) async throws -> PulledShop {
        guard !FileSystem.exists(path) else {
            let help = "name another file with --out, or remove this one"
            throw CommandFailure(.refused, "\(path) exists; it was not changed", help: help)
        }
        let snapshot = try await session.state.snapshot()
        let catalog = try await session.pull(request, knowing: snapshot)
        let other = await otherManifest()
        let listed = Listed(other?.listings.map { $0 } ?? [], snapshot.entries)
        let choice = try choice(of: catalog, beside: listed, snapshot.entries)
        try requirePicturesURL(for: choice.products, keepsHead: !others.isEmpty)
        let pictures = takesPictures ? try await fetch(choice.products, session) : [:]
        let writesHead = others.isEmpty && destination == nil
        let written = try written(choice.products, pictures, snapshot.entries, under: other, widensLimits: writesHead)
        let text = try bytes(written, catalog.vendorID, writesHead: writesHead)
        try await requireValid(text)
        try AtomicFile.write(text, to: path, permissions: AtomicFile.readableByAll, replaces: false)
        return shop(of: choice, catalog, pictures, written.omissions)
    }

    private func shop(
        of choice: Choice,
        _ catalog: PulledCatalog,
        _ pictures: Pictures,
        _ omissions: [LiveProductWriter.Omission]
    ) -> PulledShop {
        PulledShop(
            path: path,
            products: choice.products.count,
            pictures: Set(pictures.digests.values).count,
            missing: pictures.values.count { if case .failure(let trouble) = $0 { trouble.mayPass } else { false } },
            omissions: omissions,
            catalogMoved: catalog.reading.summary.catalogMoved,
            isProved: catalog.reading.summary.isComplete,
            // By location, because a row may have several faults.
            lostRows: Set(catalog.reading.problems.lazy.filter { $0.id == nil }.map(\.place)).count,
            elsewhere: choice.elsewhere,
            takenOut: choice.takenOut,
            otherKinds: choice.otherKinds.map { LeftOutProduct($0) }
        )
    }

    /// The comment in the first line of a pulled manifest.
    private var remark: String {
        let purpose = destination?.profile.map { ", for \($0)" } ?? ""
        return "Pulled by openmarket from \(market.url ?? ""), \(market.profile ?? .standard)\(purpose)."
    }

    private var takesPictures: Bool {
        !((destination ?? market).profile?.capabilities.unsayableFields.contains(.images) ?? false)
    }

    /// Before any fetch, checks that a URL is set for a market that fetches pictures itself.
    private func requirePicturesURL(for products: [Product], keepsHead: Bool) throws(CommandFailure) {
        let market = destination ?? market
        guard let profile = market.profile, profile.capabilities.pictureStyle == .url else { return }
        let isKnown = market.picturesURL != nil || picturesURL != nil && !keepsHead
        guard !isKnown, products.contains(where: { $0.live.images?.isEmpty == false }) else { return }
        throw CommandFailure(
            .invalidInput,
            "\(profile.name) fetches pictures itself, and the address of the manifest's folder is not set; "
                + "no file was written",
            help: "set `market.pictures_url` in the manifest; for a new one, --pictures-url writes it"
        )
    }

    // MARK: Products

    /// The market's products, by what becomes of them.
    private struct Choice {
        /// Those to write.
        var products: [Product] = []
        var otherKinds: [LiveProduct] = []
        /// The number of products that other files list.
        var elsewhere = 0
        /// The number of products that the manifest once listed.
        var takenOut = 0
    }

    private func otherManifest() async -> Manifest? {
        var options = options
        options.readsPictures = false
        return others.isEmpty ? nil : await ManifestLoader(options: options).load(others).manifest
    }

    /// Chooses the products that no file lists; throws if there are none for a new manifest.
    ///
    /// With `isEdit`, once listed products are left out unless they are named: their lines were taken out since.
    private func choice(
        of catalog: PulledCatalog,
        beside listed: Listed,
        _ entries: StateEntries,
        _ origins: Origins? = nil,
        isEdit: Bool = false
    ) throws(CommandFailure) -> Choice {
        let known = Dictionary(entries.values.map { ($0.id, $0) }) { $0.key < $1.key ? $0 : $1 }
        var keys = KeyMaker(
            taken: Array(entries.keys) + listed.keys,
            carried: catalog.reading.products.compactMap(\.key),
            limit: (destination ?? market).profile?.capabilities.key?.characterLimit
        )
        var choice = Choice()
        for product in catalog.products {
            let entry = known[product.id]
            let origin = entry?.origin.flatMap { $0 == "-" ? nil : $0 }
            if listed.lists(product) {
                if !isEdit { choice.elsewhere += 1 }
            } else if let origin, let origins, !origins.read.contains(origin), !origins.gone.contains(origin) {
                choice.elsewhere += 1
            } else if isEdit, entry != nil, !request.ids.contains(product.id),
                !(origin.map { origins?.gone.contains($0) ?? false } ?? false)
            {
                choice.takenOut += 1
            } else if !product.isManageable {
                choice.otherKinds.append(product)
            } else {
                let key = entry?.key ?? keys.key(carried: product.key, name: product.name, id: product.id)
                choice.products.append(Product(key: key, live: product))
            }
        }
        guard isEdit || !choice.products.isEmpty else {
            guard choice.elsewhere == catalog.products.count else { throw .noProducts }
            let products = counted(choice.elsewhere, "product")
            let what = "the \(products) of this vendor are in the other files; no file was written"
            throw CommandFailure(.refused, what)
        }
        return choice
    }

    // MARK: Managed manifest

    /// Finds the market's products that a manifest does not list, and fetches the pictures that it changed.
    ///
    /// `drifted` are listed products with other pictures. Only pictures are written so far.
    func news(
        for manifest: Manifest,
        _ drifted: [(listing: Listing, id: MarketID)],
        _ catalog: PulledCatalog,
        _ snapshot: StateSnapshot,
        into run: EditRun,
        in session: Session
    ) async throws -> News {
        let (lacksMarket, isEdit) = (run.lacksMarket, !manifest.listings.isEmpty)
        let names = session.configuration.origins
        var origins = names?.origins(of: manifest.files, in: snapshot.entries)
        // A lost manifest comes back.
        if let names, FileSystem.isMissing(path) { origins?.gone.insert(names.origin(of: path)) }
        let choice = try choice(
            of: catalog,
            beside: Listed(manifest.listings.map { $0 }, snapshot.entries),
            snapshot.entries,
            isCopy && !isEdit ? nil : origins,
            isEdit: isEdit
        )
        let shown = Dictionary(catalog.products.map { ($0.id, $0) }) { first, _ in first }
        let changed = takesPictures ? drifted.compactMap { item in shown[item.id].map { (item.listing, $0) } } : []
        if !choice.products.isEmpty { _ = try PlannedEdits.destination(run.destination, of: manifest) }
        try requirePicturesURL(for: choice.products, keepsHead: !lacksMarket)
        let known = choice.products + changed.map { Product(key: $0.key, live: $1) }
        let pictures = takesPictures ? try await fetch(known, session) : [:]
        let written = try written(
            choice.products,
            pictures,
            snapshot.entries,
            under: manifest,
            widensLimits: lacksMarket
        )
        let refusal =
            manifest.isAdjusted ? ProductEdit.Action.leave(because: "'adjust' would change its values once more") : nil
        var news = News(
            edits: written.products.map { product in
                ProductEdit(key: product.key, refusal ?? .add(product.added, file: nil), reason: "new on the market")
            },
            head: lacksMarket ? head(written.limits, catalog.vendorID) : nil,
            digests: pictures.digests,
            shop: shop(of: choice, catalog, pictures, written.omissions)
        )
        for (listing, live) in changed {
            guard let prefix = try? prefix(from: listing.file) else {
                news.pictures[live.id] = .failure(.init("\(images) is not below the folder of its file"))
                continue
            }
            let product = Product(key: listing.key, live: live)
            news.pictures[live.id] = try files(of: product, pictures, PictureLibrary(images), prefix: prefix)
        }
        return news
    }

    // MARK: Unmanaged manifest

    /// Reads the text back, apart from faults of other files.
    ///
    /// A manifest for another market is not read back, because it lacks that market's section.
    private func requireValid(_ text: [UInt8]) async throws {
        guard destination == nil else { return }
        let loaded = await ManifestLoader(options: options, edited: [ExactText(path): text]).load(others + [path])
        let faults = loaded.diagnostics.filter { fault in
            fault.severity == .error && !(fault.location.map { others.contains($0.file) } ?? false)
        }
        guard faults.isEmpty else { throw CommandFailure.invalidEdit(faults) }
    }

    // MARK: Pictures

    fileprivate typealias Pictures = [ExactText: Result<PictureLibrary.Stored, LiveProductWriter.PictureTrouble>]

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
        _ = try prefix(from: path)
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
            case nil: return .failure(.init("the market does not show the picture's address"))
            }
        }
        return .success(files)
    }

    /// The relative path from the folder of a manifest's file to the pictures.
    private func prefix(from file: String) throws(CommandFailure) -> String {
        let folder = FileSystem.absolute(FileSystem.folder(of: file))
        let target = FileSystem.absolute(images)
        guard FileSystem.contains(folder: folder, path: target) else {
            let what = "the pictures' folder \(images) is not below the manifest's folder"
            throw CommandFailure(.usage, what, help: "--images names a folder below the manifest's own")
        }
        return DocumentPaths(folder: folder).relative(target, always: true) + "/"
    }

    // MARK: Manifest

    /// Products as a manifest has them, its limits, and the values of the market and the state that it omits.
    private typealias Written = (
        products: [ManifestProduct], limits: ProductLimits, omissions: [LiveProductWriter.Omission]
    )

    private func written(
        _ products: [Product],
        _ pictures: Pictures,
        _ entries: StateEntries,
        under manifest: Manifest?,
        widensLimits: Bool
    ) throws -> Written {
        let settings = destination ?? market
        var defaults: ProductFieldSet = []
        if manifest?.rowDefaults.currency != nil { defaults.insert(.currency) }
        if manifest?.rowDefaults.stock != nil { defaults.insert(.stock) }
        let profile = settings.profile ?? .standard
        var writer = LiveProductWriter(
            profile: profile,
            limits: settings.limits,
            widensLimits: widensLimits,
            isForAnother: destination != nil,
            defaults: defaults
        )
        let library = pictures.isEmpty ? nil : try PictureLibrary(images)
        let prefix = pictures.isEmpty ? "" : try prefix(from: path)
        var written: Written = ([], settings.limits, [])
        for product in products {
            let files = try library.map { try self.files(of: product, pictures, $0, prefix: prefix) } ?? .success([])
            var said = writer.product(product.live, key: product.key, pictures: files)
            if let entry = entries[product.key], entry.id == product.live.id, destination == nil {
                said.added.isProtected = entry.isProtected
                let (secret, fault) = sayable(profile.capabilities.hasItemPasswords ? entry.secret : nil)
                said.added.secret = secret
                if let fault {
                    said.added.comments.append("secret is not written: \(fault)")
                    written.omissions.append(
                        .init(key: product.key, id: product.live.id, field: "secret", reason: fault)
                    )
                }
            }
            written.products.append(said)
        }
        written.limits = writer.limits
        written.omissions.insert(contentsOf: writer.omissions, at: 0)
        return written
    }

    /// The text to write.
    private func bytes(_ written: Written, _ vendorID: Int64?, writesHead: Bool) throws -> [UInt8] {
        var head = ManifestHead()
        head.comments = [remark]
        if writesHead { head = self.head(written.limits, vendorID) }
        var writer = ManifestWriter(head)
        for product in written.products { writer.append(product) }
        writer.finish()
        return try writer.takeBytes()
    }

    private func head(_ limits: ProductLimits, _ vendorID: Int64?) -> ManifestHead {
        var head = ManifestHead(market)
        head.comments = [remark]
        head.descriptionFile = market.descriptionFile.map(named)
        head.limits = limits
        head.picturesURL = market.picturesURL ?? picturesURL
        head.vendorID = vendorID
        nameSecrets(in: &head)
        return head
    }
}

extension PullRun.Pictures {
    fileprivate var digests: [ExactText: ContentDigest] { compactMapValues { try? $0.get().digest } }
}
