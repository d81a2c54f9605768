import FoundationEssentials
import GRDB
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import OpenMarket
import ServiceLifecycle
import Synchronization
package import UnixSignals

/// The reference server of the Open Market API: at most one profile of v1 and one of v2 over one database.
///
/// A command calls ``run(until:)``; a program with other tasks cancels ``run()``.
package struct OpenMarketServer: Sendable {
    /// The database's contents at the start, and the server's additions.
    package struct Opening: Hashable, Sendable {
        /// The vendor that was created because there was none; its secret is shown once, because the database keeps
        /// only a hash.
        package let madeVendor: Vendor?
        /// The number of products that the database had; `nil` if it is new.
        package let foundProducts: Int?
    }

    private let configuration: ServerConfiguration
    private let shop: Shop
    private let isNew: Bool
    private let logger: Logger
    private let onOpening: @Sendable (Opening) -> Void
    private let onSeeding: @Sendable (Int) -> Void
    private let onReady: @Sendable (Int) async -> Void

    /// Opens the database and the folder of the pictures; only ``run()`` changes vendors and products.
    ///
    /// The logger gets one line per request at `info`. `onReady` gets the port once requests are answered. `onOpening`
    /// is called after the address is bound and before the seed. `onSeeding` is called after each product of the seed,
    /// with the number of all its products. Errors are a ``ServerError``, or come from SQLite and the file system.
    package init(
        configuration: ServerConfiguration,
        logger: Logger,
        onReady: @escaping @Sendable (Int) async -> Void = { _ in },
        onOpening: @escaping @Sendable (Opening) -> Void = { _ in },
        onSeeding: @escaping @Sendable (Int) -> Void = { _ in },
        clock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) async throws {
        guard !configuration.profiles.isEmpty else { throw ServerError(.configuration, "no profile to serve") }
        for generation in [Generation.v1, .v2] {
            let profiles = configuration.profiles.filter { $0.generation == generation }
            guard profiles.count <= 1 else {
                throw ServerError(
                    .configuration,
                    "\(profiles.map(\.description).joined(separator: " and ")) cannot be served together"
                )
            }
        }
        isNew = !FileManager.default.fileExists(atPath: configuration.databasePath)
        do {
            shop = try Shop(configuration: configuration, clock: clock)
        } catch {
            throw Self.fault(error, configuration)
        }
        self.configuration = configuration
        self.logger = logger
        self.onOpening = onOpening
        self.onSeeding = onSeeding
        self.onReady = onReady
    }

    private static func fault(_ error: any Error, _ configuration: ServerConfiguration) -> any Error {
        if error is ServerError || error is CancellationError { return error }
        return ServerError(.storage, "cannot use \(configuration.databasePath): \(ErrorText.of(error))")
    }

    /// Admits the vendors of the configuration, and fills an empty shop with its seed.
    @discardableResult
    func open() async throws -> Opening {
        do {
            if !configuration.vendors.isEmpty { try await shop.admit(configuration.vendors, exactly: true) }
            if let vendor = configuration.additionalVendor { try await shop.admit([vendor], exactly: false) }
            var made: Vendor?
            if configuration.generations.contains(.v2), try await !shop.hasVendors() {
                let vendor = Vendor.made(name: "openmarket")
                try await shop.admit([vendor], exactly: false)
                made = vendor
            }
            let products = try await shop.productCount()
            let opening = Opening(madeVendor: made, foundProducts: isNew ? nil : products)
            onOpening(opening)
            guard let seed = configuration.seed, products == 0 else { return opening }
            if try await !shop.fill(seed, configuration.generations, onProduct: onSeeding) {
                logger.warning("the seed is ignored: another process filled the shop meanwhile")
            }
            return opening
        } catch {
            throw Self.fault(error, configuration)
        }
    }

    /// Listens, fills an empty shop with the seed, and serves until the task is cancelled.
    ///
    /// Requests in progress are answered first, within ``stopPatience``. If the address cannot be bound, the database
    /// stays unchanged, because another server may use it. A ``ServerError`` means that the address or the database
    /// cannot be used. `CancellationError` means that the seed was interrupted and undone.
    package func run() async throws {
        defer { try? shop.close() }
        let failure = Mutex<(any Error)?>(nil)
        let application = application { channel in
            do {
                try await cancelWhenGracefulShutdown { _ = try await open() }
                await onReady(channel.localAddress?.port ?? 0)
            } catch {
                failure.withLock { $0 = error }
                // The server ends with its listening socket.
                try? await channel.close().get()
            }
        }
        var group = ServiceGroupConfiguration(services: [application], logger: application.logger)
        group.maximumGracefulShutdownDuration = Self.stopPatience
        let services = ServiceGroup(configuration: group)
        // SwiftNIO crashes if the accepting task is cancelled while a connection arrives (apple/swift-nio#2637). So a
        // cancelled server first stops accepting.
        let serving = Task {
            try await withTaskExecutorPreference(EventLoopTasks(Self.eventLoops)) { try await services.run() }
        }
        do {
            try await withTaskCancellationHandler {
                try await serving.value
            } onCancel: {
                Task { await services.triggerGracefulShutdown() }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
        } catch  where !(error is CancellationError) {
            if let failure = failure.withLock({ $0 }) { throw failure }
            let address = NetworkAddress.authority(host: configuration.host, port: configuration.port)
            throw ServerError(.address, "cannot serve on \(address): \(ErrorText.of(error))")
        }
    }

    /// How long requests in progress may take after the request to stop the server.
    package static let stopPatience = Duration.seconds(10)
    private static var eventLoops: MultiThreadedEventLoopGroup { .singleton }

    /// Closes the database of a server that is not running.
    func close() throws {
        try shop.close()
    }

    /// Serves as ``run()`` does until one of the signals arrives.
    package func run(until signals: UnixSignalsSequence) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await run() }
            group.addTask { for await _ in signals { break } }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// The application, for tests without a socket.
    var application: some ApplicationProtocol { application { _ in } }

    /// The application; `onListening` is called before any request is read.
    private func application(
        _ onListening: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        // The framework's messages about its sockets and tasks help only with debugging.
        var quiet = logger
        if quiet.logLevel > .debug { quiet.logLevel = .critical }
        return Application(
            router: router,
            server: .http1(configuration: .init(idleTimeout: TimeAmount(configuration.idleTimeout))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(400)
            ),
            onServerRunning: onListening,
            eventLoopGroupProvider: .shared(Self.eventLoops),
            logger: quiet
        )
    }

    private var router: Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self, options: [.autoGenerateHeadEndpoints])
        let control = configuration.faults.map { FaultControl($0) }
        let bodies = BodyReader(limit: configuration.bodyLimit)
        router.add(middleware: RequestLogMiddleware(logger: logger))
        let origins = Set(configuration.allowedOrigins)
        router.add(middleware: CrossOriginMiddleware(origins: origins, address: address, host: configuration.host))
        if let control {
            let generations = configuration.generations
            router.add(middleware: FaultMiddleware(control: control, shop: shop, generations: generations))
        }
        router.add(middleware: ReplyMiddleware(address: address, logger: logger))
        let controls = ControlRoutes(
            shop: shop,
            seed: configuration.seed,
            generations: configuration.generations,
            bodies: bodies
        )
        if let control { controls.add(control, to: router) }
        if configuration.allowsReset { controls.addReset(to: router) }
        PictureRoutes(shop: shop).add(to: router)
        ShopPage(profiles: configuration.profiles, pictureOrigin: pictureOrigin).add(to: router)
        for profile in configuration.profiles {
            let strict = configuration.isStrict ? ProductLimits.documented : nil
            switch profile {
            case .v1a, .v1b:
                V1Routes(
                    shop: shop,
                    dialect: profile == .v1a ? .a : .b,
                    strict: strict,
                    bodies: bodies,
                    address: address,
                    faults: control
                ).add(to: router)
            case .v2a, .v2b:
                V2Routes(
                    shop: shop,
                    dialect: profile == .v2a ? .a : .b,
                    strict: strict,
                    bodies: bodies,
                    address: address
                ).add(to: router)
            }
        }
        return router
    }

    /// Scheme, host and port of picture URLs in replies.
    private var pictureOrigin: String? { configuration.publicURL.map(MarketURL.origin) }

    private var address: PublicAddress {
        PublicAddress(fixed: configuration.publicURL, trustsProxy: configuration.trustsProxy)
    }
}
