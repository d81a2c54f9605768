/// Why the state cannot be used.
///
/// One sentence names the file and what to do about it.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    ///
    /// Later versions may add categories.
    public enum Code: String, Hashable, Sendable {
        /// There is no state, or it knows nothing of the market.
        case missing
        /// The file is no state, or cannot be read back as one. Nothing was written to it.
        case damaged
        /// A newer version of the tool wrote the file.
        case newerVersion = "newer_version"
        /// The file or its folder cannot be written.
        case readOnly = "read_only"
        /// There is no room left; what was to be written is not there.
        case diskFull = "disk_full"
        /// Another run holds the lock; exit 7.
        case locked
        /// The system failed to read or write.
        case io
        /// What was asked does not fit what the state holds: a key that is not there, or one that is taken.
        case conflict
        /// The change concerns a key with an unsettled operation, which the next run settles.
        case unsettled
        /// A file to import is not valid; exit 4.
        case input
        /// A file to import is another market's; exit 4.
        case otherMarket = "other_market"
    }

    /// The error category.
    public var code: Code
    /// One sentence for people: which file, and what to do.
    public var message: String
    /// Who holds the lock, where the lock is the reason and its file names the holder.
    public var holder: LockHolder?

    /// An error.
    public init(_ code: Code, _ message: String, holder: LockHolder? = nil) {
        self.code = code
        self.message = message
        self.holder = holder
    }

    /// The message.
    public var description: String { message }
}
