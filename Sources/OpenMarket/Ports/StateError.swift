/// Why the state cannot be used.
///
/// One sentence names the state and what to do about it.
package struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    ///
    /// Later versions may add categories.
    package enum Code: String, Hashable, Sendable {
        /// There is no state, or it knows nothing of the market.
        case missing
        /// The file is not a state, or cannot be read as one. Nothing was written to it.
        case damaged
        /// Another version of the tool wrote it, in a form that this one does not read.
        case otherVersion = "other_version"
        /// It cannot be written.
        case readOnly = "read_only"
        /// There is no room left; what was to be written is not there.
        case diskFull = "disk_full"
        /// Another session holds it.
        case locked
        /// The market's state goes on in another place.
        case moved
        /// Another session took this one's place; nothing was written.
        case superseded
        /// The system failed to read or write.
        case io
        /// What was asked does not fit what the state holds: a key that is not there, or one that is taken.
        case conflict
        /// The product is another key's, which a session of the same run wrote down.
        case taken
        /// The change concerns a key with an unresolved operation, which the next run settles.
        case unresolved
        /// A file to import is not valid.
        case input
        /// A file to import is another market's.
        case otherMarket = "other_market"
    }

    /// The error category.
    package var code: Code
    /// One sentence for people: which state, and what to do.
    package var message: String

    /// An error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}

// The words that every backend uses for what its callers did.
extension StateError {
    /// A key that is not there.
    package static func unknownKey(_ key: String) -> StateError {
        StateError(.conflict, "the state knows no product '\(key)'")
    }

    /// A key that is another product's.
    package static func takenKey(_ old: String, _ new: String) -> StateError {
        StateError(.conflict, "cannot give '\(old)' the key '\(new)': another product has it")
    }

    /// A product that is another key's.
    package static func taken(_ product: MarketID, by key: String) -> StateError {
        StateError(.taken, "product \(product) is '\(key)' already")
    }

    /// A state that goes on elsewhere.
    package static func moved(_ old: StateLocation, to new: StateLocation) -> StateError {
        StateError(.moved, "the state \(old) was copied to \(new) and is no longer used")
    }

    /// A market that is known already.
    package static func isNotEmpty(_ location: StateLocation) -> StateError {
        StateError(.conflict, "the state \(location) already knows this market")
    }

    /// Products that an import would cover.
    package static func wouldOverwrite(_ count: Int) -> StateError {
        StateError(.conflict, "the state already knows \(counted(count, "product")) of this market")
    }

    /// An operation in the way.
    package static func unresolved(_ key: String, _ run: RunID) -> StateError {
        StateError(.unresolved, "an operation of run \(run) on '\(key)' is unresolved; nothing was changed")
    }

    /// A run that is not there.
    package static func unknownRun(_ run: RunID) -> StateError {
        StateError(.conflict, "the journal knows no run \(run) of this market")
    }

    /// An operation that is not there.
    package static func unknownOperation(_ sequence: Int, _ run: RunID) -> StateError {
        StateError(.conflict, "run \(run) has no operation \(sequence)")
    }

    /// A fact whose number does not follow.
    package static func misnumbered(_ event: JournalEvent, after last: Int) -> StateError {
        StateError(
            .conflict,
            "fact \(event.number) of operation \(event.sequence) of run \(event.run) does not follow fact \(last)"
        )
    }

    /// A session that is over.
    package static func superseded(_ location: StateLocation, _ number: Int64) -> StateError {
        StateError(
            .superseded,
            "session \(number) of the state \(location) has ended, another one may have replaced it; "
                + "the next apply settles what was in flight"
        )
    }
}
