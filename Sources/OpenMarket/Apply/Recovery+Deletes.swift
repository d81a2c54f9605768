extension Recovery {
    /// Finds the begun deletes whose products are gone; they count as done, like a delete of a missing product.
    ///
    /// A product whose absence is not proved counts as existing, and its delete is planned again. `unresolved` must be
    /// old enough for the market to have applied it.
    ///
    /// Returns the indices of the deletes. Throws ``MarketError`` if the market cannot be read.
    func carriedOutDeletes(
        among unresolved: [UnresolvedOperation],
        _ lookup: ProductLookup
    ) async throws -> Set<Int> {
        var gone: Set<Int> = []
        do {
            for (index, open) in unresolved.enumerated() {
                if let id = open.deletedProduct, try await isGone(id, lookup) { gone.insert(index) }
            }
        } catch is Stopped {
            return []
        }
        return gone
    }

    private func isGone(_ id: MarketID, _ lookup: ProductLookup) async throws -> Bool {
        do {
            return try await lookup.proved(id) == nil
        } catch let error as MarketError where error.code == .unreadable {
            return false
        }
    }
}

extension Recovery.Settling {
    /// The state change for a picture whose request got no reply: the market shows one more than was acknowledged.
    func attachedPicture() async throws -> [StateMutation] {
        guard open.step == .attach, !open.stepSucceeded, var entry = previous else { return [] }
        let wanted: [PictureIdentity]?
        switch open.operation.work {
        case .create(let product): wanted = product.values.images
        case .update(let update): wanted = update.desired.images
        case .replace(let replacement): wanted = replacement.product.values.images
        case .adopt, .delete, .forget, .rename: return []
        }
        guard entry.id == open.created ?? open.operation.id, let product = try await lookup.product(entry.id) else {
            return []
        }
        entry.acknowledge((entry.applied.images?.count ?? 0) + 1, of: wanted, shownBy: product)
        return [.put(entry)]
    }
}

extension UnresolvedOperation {
    /// The product of a delete, or of a replace's first delete.
    fileprivate var deletedProduct: MarketID? {
        switch operation.work {
        case .delete(let deletion): deletion.id
        case .replace(let replacement) where replacement.deletesFirst && created == nil && !isOpenCreate: replacement.id
        case .adopt, .create, .update, .replace, .forget, .rename: nil
        }
    }
}
