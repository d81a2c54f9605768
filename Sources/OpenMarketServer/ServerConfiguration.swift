package struct ServerConfiguration: Sendable {
    /// The served profiles: at most one of v1 and one of v2.
    package var profiles: [ServedProfile]
    /// The SQLite file; created if it does not exist.
    package var databasePath: String
    /// The folder of the pictures; created if it does not exist.
    var imagesDirectory: String
    package var host = "127.0.0.1"
    /// The port; 0 selects a free one.
    package var port = 8080
    /// The vendors that may write on v2; all others may not.
    ///
    /// If the list is empty, the vendors of the database stay; if it has none, one is created.
    package var vendors: [Vendor] = []
    /// A further vendor that may write on v2; a vendor of the database with this identifier gets this secret and keeps
    /// its name.
    package var additionalVendor: Vendor?
    /// Whether the documented limits are enforced; the real markets did not.
    package var isStrict = false
    /// How long v1 answers 404 for an item that was just written; the real markets took 1–2 s.
    package var readAfterWriteDelay = Duration.zero
    /// The largest request body in bytes; a larger one is answered with 413.
    package var bodyLimit = 10_000_000
    /// How long a connection may stay open while its client is silent.
    var idleTimeout = Duration.seconds(90)
    /// The origins whose pages may call the API from a browser, as browsers spell them (`https://app.example`).
    ///
    /// `*` means all of them; an empty list allows only this server's own page.
    package var allowedOrigins: [String] = []
    /// The start of URLs in replies, such as `https://shop.example`; `nil` uses the request's host.
    package var publicURL: String?
    /// Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are used if ``publicURL`` is `nil`.
    ///
    /// Use it only behind a proxy that sets them.
    package var trustsProxy = false
    /// The products that an empty database starts with; `nil` for none.
    package var seed: ShopSeed?
    /// Whether `POST /_shop/reset` deletes all products and fills the shop with ``seed`` again.
    package var allowsReset = false
    /// The faults to inject; if `nil`, there are no control endpoints either.
    package var faults: FaultPlan?

    /// Creates a configuration with the defaults of `openmarket serve`.
    ///
    /// The default folder of the pictures is the database's path with `-images` appended.
    package init(
        profiles: [ServedProfile] = [.v2b, .v1b],
        databasePath: String,
        imagesDirectory: String? = nil
    ) {
        self.profiles = profiles
        self.databasePath = databasePath
        let stem = databasePath.hasSuffix(".db") ? String(databasePath.dropLast(3)) : databasePath
        self.imagesDirectory = imagesDirectory ?? stem + "-images"
    }

    var generations: [Generation] { profiles.map(\.generation) }

    package var databaseFiles: [String] { ["", "-wal", "-shm", "-journal"].map { databasePath + $0 } }
}
