/// What a server needs to know before it starts.
package struct ServerConfiguration: Sendable {
    /// The profiles to speak: at most one of v1 and one of v2, over one database.
    package var profiles: [ServedProfile]
    /// The SQLite file; made when it is not there.
    package var databasePath: String
    /// The folder of the pictures; made when it is not there.
    var imagesDirectory: String
    /// The address to listen on.
    package var host: String
    /// The port; 0 takes a free one.
    package var port: Int
    /// Who may write on v2: exactly these.
    ///
    /// Where none are given those of the database stay, and where it has none, one is made.
    package var vendors: [Vendor]
    /// Who may write on v2 beside them; a vendor of the database with this identifier gets this secret, and keeps its name.
    package var additionalVendor: Vendor?
    /// Whether the documented limits are enforced; the real markets did not.
    var isStrict: Bool
    /// For how long v1 answers 404 for an item that was just written; the real ones took 1–2 s.
    package var readAfterWriteDelay: Duration
    /// The largest request body, in bytes; more is answered with 413.
    package var bodyLimit: Int
    /// How long a connection may stay without a whole request.
    var idleTimeout: Duration
    /// How long a client may take for a body, apart from what its size earns it, and for taking a reply.
    var patience: Duration
    /// The bytes a second that a body must come with beyond ``patience``.
    var minimumBodyRate: Int
    /// Connections at once; others wait to be accepted.
    var connectionLimit: Int
    /// The largest page of a v2 list; more is answered with this many.
    var pageSizeLimit: Int
    /// The origins whose pages may call the API from a browser, as browsers spell them (`https://app.example`); `*` is
    /// all of them, none only this server's own page.
    package var allowedOrigins: [String]
    /// How the addresses in replies begin, `https://shop.example`; `nil` for the host that a request names.
    package var publicURL: String?
    /// Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed where ``publicURL`` is `nil`: only behind a proxy
    /// that sets them.
    var trustsProxy: Bool
    /// The products that an empty database starts with; `nil` for none.
    package var seed: ShopSeed?
    /// Whether `POST /_shop/reset` deletes all products and fills the shop with ``seed`` again.
    package var allowsReset: Bool
    /// Failures to inject; `nil` for none, and then the control endpoints are not there either.
    package var faults: FaultPlan?

    /// A configuration, with the defaults of `openmarket serve`.
    ///
    /// Pictures are unless specified in a folder that is called as the database, with `-images` behind it.
    package init(
        profiles: [ServedProfile] = [.v2b, .v1b],
        databasePath: String,
        imagesDirectory: String? = nil,
        host: String = "127.0.0.1",
        port: Int = 8080,
        vendors: [Vendor] = [],
        additionalVendor: Vendor? = nil,
        isStrict: Bool = false,
        readAfterWriteDelay: Duration = .zero,
        bodyLimit: Int = 10_000_000,
        idleTimeout: Duration = .seconds(90),
        patience: Duration = .seconds(30),
        minimumBodyRate: Int = 10_000,
        connectionLimit: Int = 400,
        pageSizeLimit: Int = 1000,
        allowedOrigins: [String] = [],
        publicURL: String? = nil,
        trustsProxy: Bool = false,
        seed: ShopSeed? = nil,
        allowsReset: Bool = false,
        faults: FaultPlan? = nil
    ) {
        self.profiles = profiles
        self.databasePath = databasePath
        let stem = databasePath.hasSuffix(".db") ? String(databasePath.dropLast(3)) : databasePath
        self.imagesDirectory = imagesDirectory ?? stem + "-images"
        self.host = host
        self.port = port
        self.vendors = vendors
        self.additionalVendor = additionalVendor
        self.isStrict = isStrict
        self.readAfterWriteDelay = readAfterWriteDelay
        self.bodyLimit = bodyLimit
        self.idleTimeout = idleTimeout
        self.patience = patience
        self.minimumBodyRate = minimumBodyRate
        self.connectionLimit = connectionLimit
        self.pageSizeLimit = pageSizeLimit
        self.allowedOrigins = allowedOrigins
        self.publicURL = publicURL
        self.trustsProxy = trustsProxy
        self.seed = seed
        self.allowsReset = allowsReset
        self.faults = faults
    }
}

extension ServerConfiguration {
    /// The families of profiles that are served.
    var generations: [Generation] { profiles.map(\.generation) }

    /// The files that SQLite keeps the database in.
    package var databaseFiles: [String] { ["", "-wal", "-shm", "-journal"].map { databasePath + $0 } }
}
