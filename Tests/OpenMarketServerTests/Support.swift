import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
@testable import OpenMarketServer

/// A temporary directory that a fixture and the closures of its test share.
final class Folder: Sendable {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path }
}

/// A clock that a test moves; starts at 2022-11-15 08:00 UTC and a bit.
final class ManualClock: Sendable {
    private let seconds = Mutex(1_668_499_200.25)

    var now: Double { seconds.withLock { $0 } }

    func advance(_ by: Double) {
        seconds.withLock { $0 += by }
    }
}

/// A server in a folder.
struct Fixture {
    let folder: Folder
    let clock = ManualClock()

    static let vendors = [
        Vendor(
            id: 29,
            name: "example",
            identifier: "00000000-0000-11ed-0000-000000000000",
            secret: Secret("example-secret")
        ),
        Vendor(
            id: 30,
            name: "other",
            identifier: "00000000-0000-11ed-0000-000000000001",
            secret: Secret("other-secret")
        ),
    ]

    init() throws {
        folder = try Folder()
    }

    func configuration(
        _ profiles: ServedProfile...,
        vendors: [Vendor] = vendors,
        isStrict: Bool = false,
        delay: Duration = .zero,
        bodyLimit: Int = 1_000_000,
        faults: FaultPlan? = nil
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(
            profiles: profiles,
            databasePath: folder.path + "/shop.db",
            imagesDirectory: folder.path + "/images"
        )
        configuration.port = 0
        configuration.vendors = vendors
        configuration.isStrict = isStrict
        configuration.readAfterWriteDelay = delay
        configuration.bodyLimit = bodyLimit
        configuration.faults = faults
        return configuration
    }

    /// A server; one that is to be run is not open yet.
    func server(
        _ configuration: ServerConfiguration,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        opens: Bool = true,
        onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws -> OpenMarketServer {
        let clock = clock
        let server = try await OpenMarketServer(
            configuration: configuration,
            logger: logger,
            onReady: onReady,
            clock: { clock.now }
        )
        if opens { try await server.open() }
        return server
    }

    /// Opens a shop, and closes it.
    func opening(_ configuration: ServerConfiguration) async throws -> OpenMarketServer.Opening {
        let server = try await server(configuration, opens: false)
        let opening = try await server.open()
        try server.close()
        return opening
    }

    /// Talks to a server over sockets.
    func listen(
        _ configuration: ServerConfiguration,
        log: CollectedLog = CollectedLog(),
        _ test: @Sendable @concurrent (Socket) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try await server(configuration, logger: log.logger, opens: false) { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            for await number in ports {
                try await test(Socket(port: number))
                break
            }
            group.cancelAll()
        }
    }

    /// Talks to a server without a socket.
    func serve(_ configuration: ServerConfiguration, _ test: @Sendable @concurrent (Talk) async throws -> Void)
        async throws
    {
        try await server(configuration).application.test(.router) { client in try await test(Talk(client: client)) }
    }
}

/// What a server said in its log.
final class CollectedLog: Sendable {
    private let said = Mutex<[String]>([])

    /// `level message key=value…`, the values that differ each time left out.
    var lines: [String] { said.withLock { $0 } }

    func clear() {
        said.withLock { $0 = [] }
    }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .info
        return logger
    }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).filter { $0.key != "ms" }.sorted { $0.key < $1.key }
            let text = values.map { " \($0.key)=\($0.value)" }.joined()
            log.said.withLock { $0.append("\(event.level) \(event.message)\(text)") }
        }
    }
}

/// Requests as clients send them.
struct Talk {
    let client: any TestClientProtocol

    struct Reply: Equatable, CustomStringConvertible {
        var status: Int
        var contentType: String?
        var body: String

        var description: String { "\(status) \(contentType ?? "-")\n\(body)" }

        init(_ status: Int, _ contentType: String?, _ body: String) {
            self.status = status
            self.contentType = contentType
            self.body = body
        }

        /// The members of a JSON object.
        var json: [String: JSONValue] {
            let members = (try? JSONValue.parse(Array(body.utf8)))?.members ?? []
            return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: [UInt8] = []
    ) async throws -> Reply {
        try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(bytes: body)) {
            response in
            Reply(response.status.code, response.headers[.contentType], String(buffer: response.body))
        }
    }

    func get(_ path: String) async throws -> Reply { try await send(.get, path) }

    func form(_ method: HTTPRequest.Method, _ path: String, _ form: Form, vendor: Vendor? = nil) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "multipart/form-data; boundary=\(Form.boundary)"]
        if let vendor { headers[.identifier] = vendor.identifier }
        return try await send(method, path, headers: headers, body: form.bytes)
    }

    func json(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String,
        vendor: Vendor? = Fixture.vendors[0]
    ) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let vendor { headers[.identifier] = vendor.identifier }
        return try await send(method, path, headers: headers, body: Array(body.utf8))
    }

    /// Makes a product of v2 and returns its id.
    @discardableResult
    func product(
        _ json: String = #"{"name":"Desk lamp","price":3500,"currency":"KRW","secret":"example-secret"}"#,
        vendor: Vendor = Fixture.vendors[0]
    ) async throws -> Int64 {
        let reply = try await form(.post, "/api/products", Form().params(json).image(), vendor: vendor)
        return reply.json.id
    }

    /// Makes an item of v1 and returns its id.
    @discardableResult
    func item(_ title: String = "Desk lamp") async throws -> Int64 {
        try await form(.post, "/item", Form.item(title: title).image("images[]")).json.id
    }
}

extension [String: JSONValue] {
    var id: Int64 { self["id"]?.integer ?? -1 }
}

/// A multipart body.
struct Form {
    static let boundary = "B4"
    private var parts: [UInt8] = []

    var bytes: [UInt8] { parts + Array("--\(Self.boundary)--\r\n".utf8) }

    func part(_ name: String, _ body: [UInt8], fileName: String? = nil, type: String? = nil) -> Form {
        var copy = self
        copy.parts += Array("--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"".utf8)
        if let fileName { copy.parts += Array("; filename=\"\(fileName)\"".utf8) }
        if let type { copy.parts += Array("\r\nContent-Type: \(type)".utf8) }
        copy.parts += Array("\r\n\r\n".utf8) + body + Array("\r\n".utf8)
        return copy
    }

    func field(_ name: String, _ text: String) -> Form { part(name, Array(text.utf8)) }
    func params(_ json: String) -> Form { part("params", Array(json.utf8), type: "application/json") }

    func image(_ name: String = "images", fileName: String = "lamp.jpeg", bytes: [UInt8] = Form.jpeg) -> Form {
        part(name, bytes, fileName: fileName, type: "image/jpeg")
    }

    /// Bytes that begin like a JPEG, with line ends and dashes in them.
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0x0D, 0x0A, 0x2D, 0x2D, 0x42, 0x0D, 0x0A, 0x00, 0xD9]

    static func item(title: String = "Desk lamp", password: String = "example-pass") -> Form {
        Form().field("title", title).field("descriptions", "Warm light.").field("price", "37000")
            .field("currency", "KRW").field("stock", "129").field("password", password)
    }
}

/// Replaces what is random: names of pictures and delete keys.
func masked(_ text: String) -> String {
    text
        .replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "<UUID>")
        .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "<uuid>")
        .replacing(/[0-9a-f]{32}/, with: "<hex>")
}
