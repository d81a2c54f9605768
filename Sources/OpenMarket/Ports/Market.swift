/// A live market: what planning reads and applying writes.
///
/// Implemented by the client for every deployment.
public protocol Market: Sendable {
    /// Reads the whole list.
    ///
    /// - Throws: ``MarketError`` when the market cannot be reached, refuses, or answers what nobody can read.
    func catalog() async throws -> LiveCatalog

    /// Reads products newer than an id, for finding a create whose reply was lost. May return older ones too.
    ///
    /// - Throws: ``MarketError``.
    func products(newerThan id: ProductID?) async throws -> [LiveProduct]

    /// Reads a product in detail; `nil` when the market does not know it.
    ///
    /// - Throws: ``MarketError``.
    func product(_ id: ProductID) async throws -> LiveProduct?

    /// Fetches a picture's original bytes and hashes them.
    ///
    /// - Throws: ``MarketError``.
    func pictureDigest(at url: String) async throws -> ContentDigest

    /// Sends one writing request, once. Never retries: whether that is safe is for the executor to say.
    func perform(_ request: WriteRequest) async -> WriteOutcome
}

/// Why the market could not be read, or would not take anything.
public struct MarketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    ///
    /// More may come.
    public enum Code: String, Hashable, Sendable {
        /// No connection, no name, no answer in time, or 5xx however often asked; exit 8 is not it, 9 is.
        case unreachable
        /// The credentials were refused; exit 8.
        case credentials
        /// A reply that is not the API's: HTML, too large, too deep, pages without end.
        case unreadable
        /// The market speaks another deployment than the one that is set.
        case profile
        /// A definite no of another kind.
        case refused
        /// A picture or secret file that could be read before no longer can.
        case input
    }

    /// What kind.
    public var code: Code
    /// One sentence for people, without secrets; control characters are the caller's to escape.
    public var message: String
    /// The HTTP status, where there was one.
    public var status: Int?

    /// An error.
    public init(_ code: Code, _ message: String, status: Int? = nil) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// The message.
    public var description: String { message }
}
