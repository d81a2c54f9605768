import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The pictures that runs took from the market, for `undo`: `.openmarket/kept`, with a list for each run.
package struct RunPictures: Sendable {
    /// In bytes.
    package static let standardLimit: Int64 = 1_000_000_000

    private let kept: KeptFolder
    private let edits: EditRecords

    /// `folder` is `.openmarket`.
    init(in folder: String) {
        let folder = FileSystem.absolute(folder)
        kept = KeptFolder(in: folder)
        edits = EditRecords(in: folder)
    }

    struct Item: Hashable, Sendable {
        /// Where the market showed the picture.
        var url: String?
        var digest = ContentDigest.zero
        var byteCount = 0
    }

    struct List: Hashable, Sendable {
        var run = ""
        var pictures: [Item] = []
    }

    /// Lets no other run keep or drop pictures meanwhile.
    func locked<Value>(_ body: () async throws -> Value) async throws -> Value {
        try FileSystem.createFolder(kept.path, permissions: .ownerReadWriteExecute)
        let lock = try FileError.explaining(.open, kept.path) { try FileSystem.lock(folder: kept.path) }
        defer { try? lock.close() }
        return try await body()
    }

    func picture(_ digest: ContentDigest) -> FetchedPicture? { kept.picture(digest) }

    func keep(_ picture: FetchedPicture) throws { try kept.keep(picture.bytes, picture.digest) }

    func write(_ list: List) throws {
        try kept.write(list.document.bytes(pretty: true) + Array("\n".utf8), to: path(of: list))
    }

    private func path(of list: List) -> String { "\(kept.path)/\(list.run).json" }

    /// What runs kept, the newest first; a file that is no list is passed over.
    func lists() throws -> [List] {
        let names = (FileSystem.names(in: kept.path) ?? []).filter { $0.hasSuffix(".json") }
        // The names of runs begin with the time.
        return try names.sorted().reversed().compactMap { name in
            let bytes = try InputFile.bytes(of: "\(kept.path)/\(name)", as: .keptPicture)
            guard let list = (try? JSONValue.parse(bytes)).flatMap({ try? List(document: DocumentValue($0, at: "")) }),
                "\(list.run).json".isExactly(name)
            else { return nil }
            return list
        }
    }

    /// Drops the lists of `forgotten` runs and the oldest ones above a limit in bytes, and pictures that only they name.
    ///
    /// The newest list stays.
    func prune(to limit: Int64, forgotten: Set<String>) throws {
        var needed: Set<ContentDigest> = []
        var total: Int64 = 0
        var dropped: [List] = []
        var isFull = false
        for (index, list) in try lists().enumerated() {
            let sizes = Dictionary(list.pictures.map { ($0.digest, $0.byteCount) }) { first, _ in first }
            let isForgotten = forgotten.contains(list.run)
            let more = Int64(sizes.filter { !needed.contains($0.key) }.values.reduce(0, +))
            if !isForgotten, total + more > limit { isFull = true }
            guard index == 0 || !isForgotten && !isFull else {
                dropped.append(list)
                continue
            }
            needed.formUnion(sizes.keys)
            total += more
        }
        guard !dropped.isEmpty else { return }
        needed.formUnion(try edits.neededBytes())
        for list in dropped.reversed() {
            for digest in Set(list.pictures.map(\.digest)).subtracting(needed) { try kept.remove(digest) }
            try FileSystem.remove(path(of: list))
        }
    }
}

extension Session {
    /// The plan with what the market's list omits of the products to delete, for the journal and `undo`.
    ///
    /// What the list shows stays as planned, so that a change since the plan is still noticed.
    func readingDeleted(_ plan: Plan, _ entries: StateEntries) async throws -> Plan {
        guard keeping != nil, capabilities.showsDetails else { return plan }
        var plan = plan
        let partial = plan.operations.indices.filter { index in
            plan.operations[index].deletion.map { $0.livePictures.images == nil } ?? false
        }
        let deletions = partial.compactMap { index in plan.operations[index].id.map { (index: index, id: $0) } }
        try await forEachConcurrently(deletions, width: configuration.parallelism) { item -> LiveProduct? in
            do { return try await market.product(item.id) } catch let error as MarketError {
                // The delete reads the product itself, and reports what is wrong with it.
                if error.code == .unreachable { throw error }
                return nil
            }
        } collect: { item, product in
            let operation = plan.operations[item.index]
            guard let product, var deletion = operation.deletion else { return }
            let shown = product.values(entry: entries[operation.key], digests: [:], capabilities: capabilities)
            for field in ProductField.allCases where deletion.live[field] == nil {
                deletion.live[field] = shown[field]
            }
            deletion.livePictures.images = product.images
            plan.operations[item.index] = PlannedOperation(
                key: operation.key,
                reason: operation.reason,
                source: operation.source,
                secret: operation.secret,
                work: .delete(deletion)
            )
        }
        return plan
    }

    /// Keeps the pictures that a run will take from the market, before it begins.
    ///
    /// Throws `MarketError` if the market is out of reach, and `FileError`. A picture that the market does not return
    /// is reported.
    func keepPictures(of plan: Plan, for run: RunID) async throws {
        guard let keeping, keeping.limit > 0 else { return }
        let taken = plan.operations.filter(\.takesPictures).flatMap { operation in
            operation.earlierPictures.map { (key: operation.key, side: $0) }
        }
        guard !taken.isEmpty else { return }
        let files = Dictionary(plan.operations.flatMap(\.pictures).map { ($0.digest, $0.file) }) { first, _ in first }
        let forgotten = try await state.runs().filter { $0.operations == 0 }.map(\.record.id.rawValue)
        try await keeping.pictures.locked {
            var list = RunPictures.List(run: run.rawValue)
            try await forEachConcurrently(taken, width: configuration.parallelism) { item in
                await find(item.side, files, keeping)
            } collect: { item, result in
                switch result {
                case .success(let picture):
                    try keeping.pictures.keep(picture)
                    list.pictures.append(
                        RunPictures.Item(url: item.side.url, digest: picture.digest, byteCount: picture.bytes.count)
                    )
                case .failure(let error) where error.code == .unreachable:
                    try Task.checkCancellation()
                    throw error
                case .failure(let error):
                    onEvent(.missingPicture("the old picture of '\(item.key)' for undo", reason: error.message))
                }
            }
            guard !list.pictures.isEmpty else { return }
            try keeping.pictures.write(list)
            try keeping.pictures.prune(to: keeping.limit, forgotten: Set(forgotten))
        }
    }

    private func find(
        _ side: PictureMove.Side,
        _ files: [ContentDigest: String],
        _ keeping: PictureKeeping
    ) async -> Result<FetchedPicture, MarketError> {
        if let digest = side.digest {
            if let picture = keeping.pictures.picture(digest) ?? keeping.reviewed.content(named: digest.hexadecimal) {
                return .success(picture)
            }
            if let picture = files[digest].flatMap({ FetchedPicture(file: $0, as: .named) }), picture.digest == digest {
                return .success(picture)
            }
        }
        guard let url = side.url else { return .failure(MarketError(.undescribed, "its address is not known")) }
        do { return .success(try await market.picture(at: url)) } catch let error as MarketError {
            return .failure(error)
        } catch {
            return .failure(MarketError(.unreachable, "interrupted"))
        }
    }
}

/// Where a run keeps the pictures that it takes from the market.
struct PictureKeeping: Sendable {
    var pictures: RunPictures
    /// The pictures that reviews fetched.
    var reviewed: ContentStore
    /// In bytes; 0 keeps none.
    var limit: Int64
}

// MARK: - Documents

extension RunPictures.List: DocumentRecord {
    static var blank: RunPictures.List { RunPictures.List() }

    mutating func describe(_ members: inout DocumentMembers) {
        var version = 1
        members.required("format_version", &version)
        members.required("run", &run)
        members.required("pictures", &pictures)
    }
}

extension RunPictures.Item: DocumentRecord {
    static var blank: RunPictures.Item { RunPictures.Item() }

    mutating func describe(_ members: inout DocumentMembers) {
        members.optional("url", &url)
        members.required("sha256", &digest)
        members.required("bytes", &byteCount)
    }
}
