import OpenMarket
import OpenMarketFiles

/// The folder of pictures that a run takes from the market, for `undo`.
package struct PictureKeeping: Sendable {
    /// In bytes.
    package static let standardLimit: Int64 = 1_000_000_000

    /// It also has the bytes before edits.
    var kept: ContentStore
    var edits: EditRecords
    /// The pictures that reviews fetched.
    var reviewed: ContentStore
    /// In bytes; 0 disables it.
    var limit: Int64
}

extension Session {
    /// The plan with the values of products to delete that the market's list omits, for the journal and `undo`.
    ///
    /// Values of the list stay as planned, so that a change since the plan is still noticed.
    func readingDeleted(_ plan: Plan, _ entries: StateEntries) async throws -> Plan {
        guard keeping != nil, capabilities.showsDetails else { return plan }
        var plan = plan
        let partial = plan.operations.indices.filter { index in
            plan.operations[index].deletion.map { $0.livePictures.images == nil } ?? false
        }
        let deletions = partial.compactMap { index in plan.operations[index].id.map { (index: index, id: $0) } }
        try await forEachConcurrently(deletions, width: configuration.parallelism) { item -> LiveProduct? in
            do { return try await market.product(item.id) } catch let error as MarketError {
                // The delete reads the product itself, and reports its faults.
                if error.code == .unreachable { throw error }
                return nil
            }
        } collect: { item, product in
            guard let product, var deletion = plan.operations[item.index].deletion else { return }
            let entry = entries[plan.operations[item.index].key]
            let shown = product.values(entry: entry, digests: [:], capabilities: capabilities)
            for field in ProductField.allCases where deletion.live[field] == nil {
                deletion.live[field] = shown[field]
            }
            deletion.livePictures.images = product.images
            plan.operations[item.index].work = .delete(deletion)
        }
        return plan
    }

    /// Keeps the pictures that a run will take from the market, before it begins.
    ///
    /// Throws `MarketError` if the market is out of reach, and `FileError`. A picture that the market does not return
    /// is reported.
    func keepPictures(of plan: Plan) async throws {
        guard let keeping, keeping.limit > 0 else { return }
        let taken = plan.operations.filter(\.takesPictures).flatMap { operation in
            operation.earlierPictures.map { (key: operation.key, side: $0) }
        }
        guard !taken.isEmpty else { return }
        try keeping.kept.prepare()
        let files = Dictionary(plan.operations.flatMap(\.pictures).map { ($0.digest, $0.file) }) { first, _ in first }
        var sizes: [ContentDigest: Int] = [:]
        try await forEachConcurrently(taken, width: configuration.parallelism) { item in
            await find(item.side, files, keeping)
        } collect: { item, result in
            switch result {
            case .success(let picture):
                try keeping.kept.keep(picture, ending: "", from: item.side.url ?? picture.digest.hexadecimal)
                sizes[picture.digest] = picture.bytes.count
            case .failure(let error) where error.code == .unreachable:
                try Task.checkCancellation()
                throw error
            case .failure(let error):
                onEvent(.note("warning: the old picture of '\(item.key)' for undo is missing: \(error.message)"))
            }
        }
        keeping.kept.prune(to: keeping.limit, except: try keeping.edits.neededBytes())
        guard !sizes.isEmpty else { return }
        let bytes = byteCount(sizes.values.reduce(0, +))
        onEvent(.note("Kept \(counted(sizes.count, "old picture")) for undo, \(bytes)."))
    }

    private func find(
        _ side: PictureMove.Side,
        _ files: [ContentDigest: String],
        _ keeping: PictureKeeping
    ) async -> Result<FetchedPicture, MarketError> {
        if let digest = side.digest {
            let name = digest.hexadecimal
            if let picture = keeping.kept.content(named: name) ?? keeping.reviewed.content(named: name)
                ?? files[digest].flatMap({ FetchedPicture(file: $0, as: .named) }), picture.digest == digest
            {
                return .success(picture)
            }
        }
        guard let url = side.url else { return .failure(MarketError(.undescribed, "its address is unknown")) }
        do { return .success(try await market.picture(at: url)) } catch let error as MarketError {
            return .failure(error)
        } catch {
            return .failure(MarketError(.unreachable, "interrupted"))
        }
    }
}
