/// Why the state cannot be used.
package struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The categories that need different handling; later versions may add more.
    package enum Code: String, Hashable, Sendable {
        /// The state is missing, or does not contain the market.
        case missing
        /// The file is not a state, or is unreadable; it is unchanged.
        case damaged
        /// Another version of the tool wrote it, in a format that this one does not read.
        case otherVersion = "other_version"
        case readOnly = "read_only"
        /// The disk is full; the new data was not written.
        case diskFull = "disk_full"
        case locked
        case moved
        /// Another session replaced this one; the state is unchanged.
        case superseded
        case io
        /// The request does not fit the state: a key is missing, or already used.
        case conflict
        /// The product belongs to another key, according to a session of the same run.
        case taken
        /// The change concerns a key with an unresolved operation, which the next run resolves.
        case unresolved
        case input
        case otherMarket = "other_market"
    }

    package var code: Code
    /// One sentence for people, with the state's location and the remedy.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

// Shared messages of all backends for errors of their callers.
extension StateError {
    package static func unknownKey(_ key: String) -> StateError {
        StateError(.conflict, "product '\(key)' is not in the state")
    }

    package static func takenKey(_ old: String, _ new: String) -> StateError {
        StateError(.conflict, "cannot give '\(old)' the key '\(new)': another product has it")
    }

    package static func taken(_ product: MarketID, by key: String) -> StateError {
        StateError(.taken, "product \(product) is '\(key)' already")
    }

    package static func moved(_ old: StateLocation, to new: StateLocation) -> StateError {
        StateError(.moved, "the state \(old) was copied to \(new) and is no longer used")
    }

    package static func isNotEmpty(_ location: StateLocation) -> StateError {
        StateError(.conflict, "the state \(location) already has this market")
    }

    package static func unresolved(_ key: String, _ run: RunID) -> StateError {
        StateError(.unresolved, "an operation of run \(run) on '\(key)' is unresolved; the state is unchanged")
    }

    package static func unknownRun(_ run: RunID) -> StateError {
        StateError(.conflict, "run \(run) of this market is not in the journal")
    }

    package static func unknownOperation(_ sequence: Int, _ run: RunID) -> StateError {
        StateError(.conflict, "operation \(sequence) is not in run \(run)")
    }

    package static func misnumbered(_ event: JournalEvent, after last: Int) -> StateError {
        StateError(
            .conflict,
            "fact \(event.number) of operation \(event.sequence) of run \(event.run) does not follow fact \(last)"
        )
    }

    package static func superseded(_ location: StateLocation, _ number: Int64) -> StateError {
        StateError(
            .superseded,
            "session \(number) of the state \(location) has ended, another one may have replaced it; "
                + "the next apply settles operations in flight"
        )
    }
}
