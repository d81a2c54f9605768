extension Recovery.Settling {
    /// Whether the operation is a delete whose product is gone: it counts as done, like a delete of a missing product.
    ///
    /// A product whose absence is not proved counts as existing, and its delete is planned again.
    func isCarriedOut() async throws -> Bool {
        guard let id = open.deletedProduct else { return false }
        do {
            return try await lookup.proved(id) == nil
        } catch let error as MarketError where error.code == .unreadable {
            return false
        } catch is Recovery.Stopped {
            return false
        }
    }

    /// The record of such a delete, whose key may now refer to another product; the create of a replace is planned
    /// again.
    var carriedOut: Step {
        Step(
            fact: open.operation.newProduct == nil
                ? .succeeded(open.operation.id)
                : .failed("settled: the old product is gone; the new one is planned again"),
            mutations: open.operation.id.map { [.release(key: open.operation.key, id: $0)] } ?? [],
            outcome: "it is gone"
        )
    }

    /// The state change for a picture whose request got no reply: the market shows one more than was acknowledged.
    func attachedPicture() async throws -> [StateMutation] {
        guard open.step == .attach, !open.stepSucceeded, var entry = previous else { return [] }
        var wanted = open.operation.newProduct?.values.images
        if case .update(let update) = open.operation.work { wanted = update.desired.images }
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
