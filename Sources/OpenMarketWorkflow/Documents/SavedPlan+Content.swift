import OpenMarket

extension SavedPlan {
    /// What the plan does, as bytes that are the same whenever it does the same: the market, the operations with the
    /// digests of their pictures, and what the state learns.
    ///
    /// Where the manifest says it, where files lie, the tool and the time do not count. An approval of a plan is bound
    /// to the SHA-256 of these bytes.
    public var content: [UInt8] {
        JSONValue.object(
            of: ("market", .object(of: ("api", .string(profile.rawValue)), ("url", .string(url)))),
            (
                "operations",
                .array(
                    plan.operations.map { operation in
                        let document = JSONValue(operation) { .string($0.digest.hexadecimal) }
                        return .object((document.members ?? []).filter { $0.name != "source" })
                    }
                )
            ),
            ("state_updates", .array(plan.stateUpdates.map { JSONValue($0) }))
        )
        .bytes()
    }
}
