import FoundationEssentials
import GRDB
package import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import OpenMarket
public import ServiceLifecycle
package import UnixSignals

/// The reference server of the Open Market API: up to one profile of v1 and one of v2 over one database.
///
/// A command calls ``run(until:)``; a program with services of its own puts it into their `ServiceGroup`.
public struct OpenMarketServer: Service {
    /// The vendor that was made because there was none; to be shown once, because the database keeps a hash only.
    public let madeVendor: Vendor?
    /// How many products the database had when it was opened; `nil` where it was made now.
    public let foundProducts: Int?

    private let configuration: ServerConfiguration
    private let shop: Shop
    private let logger: Logger
    private let onSeeding: @Sendable (Int) -> Void
    private let onReady: @Sendable (Int) async -> Void

    /// Opens the database and the folder of the pictures.
    ///
    /// - Parameters:
    ///   - configuration: what to serve and where.
    ///   - logger: one line per request at `info`.
    ///   - onReady: called with the port once the socket listens.
    ///   - onSeeding: called after each product of the seed, with the number of all.
    /// - Throws: ``ServerError``, or what SQLite and the file system say.
    public init(
        configuration: ServerConfiguration,
        logger: Logger,
        onReady: @escaping @Sendable (Int) async -> Void = { _ in },
        onSeeding: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        try await self.init(
            configuration: configuration,
            logger: logger,
            clock: { Date().timeIntervalSince1970 },
            onReady: onReady,
            onSeeding: onSeeding
        )
    }

    /// The same with a clock that a test moves.
    package init(
        configuration: ServerConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Double,
        onReady: @escaping @Sendable (Int) async -> Void = { _ in },
        onSeeding: @escaping @Sendable (Int) -> Void = { _ in }
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
        let isNew = !FileManager.default.fileExists(atPath: configuration.databasePath)
        do {
            shop = try Shop(configuration: configuration, clock: clock)
        } catch let error as ServerError {
            throw error
        } catch {
            throw ServerError(.storage, "cannot use \(configuration.databasePath): \(ErrorText.of(error))")
        }
        if !configuration.vendors.isEmpty { try await shop.admit(configuration.vendors) }
        if configuration.profiles.contains(where: { $0.generation == .v2 }), try await !shop.hasVendors() {
            let vendor = Vendor.made(name: "openmarket")
            try await shop.admit([vendor])
            madeVendor = vendor
        } else {
            madeVendor = nil
        }
        let products = try await shop.productCount()
        foundProducts = isNew ? nil : products
        self.configuration = configuration
        self.logger = logger
        self.onSeeding = onSeeding
        self.onReady = onReady
    }

    /// Fills a shop that had no product when it was opened with the seed of the configuration.
    func fill() async throws {
        guard let seed = configuration.seed, foundProducts ?? 0 == 0 else { return }
        _ = try await shop.fill(seed, configuration.generations, onProduct: onSeeding)
    }

    /// Fills an empty shop with the seed of the configuration, and serves until the service group around it, or the task,
    /// is asked to stop; requests under way are answered first, for 10 s at most.
    ///
    /// - Throws: ``ServerError`` where the address cannot be listened on; `CancellationError` where the seed was
    ///   interrupted, of which nothing is left then.
    public func run() async throws {
        defer { try? shop.pool.close() }
        try await cancelWhenGracefulShutdown { try await fill() }
        let application = application
        var group = ServiceGroupConfiguration(services: [application], logger: application.logger)
        group.maximumGracefulShutdownDuration = Self.stopPatience
        let services = ServiceGroup(configuration: group)
        // SwiftNIO ends the program where the task that accepts is cancelled while a connection comes in
        // (apple/swift-nio#2637), so a cancelled server first stops to accept, too.
        let serving = Task {
            try await withTaskExecutorPreference(EventLoopTasks(Self.eventLoops)) { try await services.run() }
        }
        do {
            try await withTaskCancellationHandler {
                try await serving.value
            } onCancel: {
                Task { await services.triggerGracefulShutdown() }
            }
        } catch  where !(error is CancellationError) {
            let address = "\(configuration.host):\(configuration.port)"
            throw ServerError(.address, "cannot serve on \(address): \(ErrorText.of(error))")
        }
    }

    /// How long requests under way may take once the server is asked to stop.
    package static let stopPatience = Duration.seconds(10)
    private static var eventLoops: MultiThreadedEventLoopGroup { .singleton }

    /// Closes the database of a server that does not run.
    package func close() throws {
        try shop.pool.close()
    }

    /// Serves as ``run()`` does until one of the signals comes.
    package func run(until signals: UnixSignalsSequence) async throws {
        var configuration = ServiceGroupConfiguration(services: [self], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.stopPatience
        let services = ServiceGroup(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in signals { break }
                await services.triggerGracefulShutdown()
            }
            try await services.run()
            group.cancelAll()
        }
    }

    /// The application, for tests that talk to it without a socket.
    package var application: some ApplicationProtocol {
        let onReady = onReady
        let patience = TimeAmount(configuration.patience)
        let minimumRate = configuration.minimumBodyRate
        // The framework's own words about its sockets and tasks are for those who look for a fault in it.
        var quiet = logger
        if quiet.logLevel > .debug { quiet.logLevel = .critical }
        return Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionPace(patience: patience, minimumRate: minimumRate)],
                    idleTimeout: TimeAmount(configuration.idleTimeout)
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connectionLimit)
            ),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(Self.eventLoops),
            logger: quiet
        )
    }

    private var router: Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self, options: [.autoGenerateHeadEndpoints])
        let control = configuration.faults.map { FaultControl($0) }
        let bodies = BodyReader(
            limit: configuration.bodyLimit,
            folder: configuration.imagesDirectory,
            budget: BodyBudget(memory: 64 << 20, disk: 1 << 30)
        )
        router.add(middleware: RequestLogMiddleware(logger: logger))
        if !configuration.allowedOrigins.isEmpty {
            router.add(middleware: CrossOriginMiddleware(origins: Set(configuration.allowedOrigins)))
        }
        if let control {
            router.add(
                middleware: FaultMiddleware(
                    control: control,
                    shop: shop,
                    generations: configuration.generations
                )
            )
        }
        router.add(middleware: ShopPageMiddleware(address: address))
        router.add(middleware: ReplyMiddleware(logger: logger))
        if let control { FaultRoutes(control: control, bodies: bodies).add(to: router) }
        if configuration.allowsReset {
            ControlRoutes(shop: shop, seed: configuration.seed, generations: configuration.generations).add(to: router)
        }
        PictureRoutes(shop: shop).add(to: router)
        ShopPage(profiles: configuration.profiles, pictureOrigin: pictureOrigin).add(to: router)
        for profile in configuration.profiles {
            let strict = configuration.isStrict ? StrictLimits(limits: ProductLimits()) : nil
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
                    pageSizeLimit: configuration.pageSizeLimit,
                    address: address
                ).add(to: router)
            }
        }
        return router
    }

    /// Scheme, host and port of the addresses that replies are made of.
    private var pictureOrigin: String? { configuration.publicURL.map(MarketURL.origin) }

    private var address: PublicAddress {
        PublicAddress(
            fixed: configuration.publicURL,
            trustsProxy: configuration.trustsProxy,
            fallbackHost: "\(configuration.host):\(configuration.port)"
        )
    }
}
