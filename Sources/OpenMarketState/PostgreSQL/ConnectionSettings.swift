import CLibPQ
import OpenMarket

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The settings in a state's URL: how to connect, and which tables to use.
struct ConnectionSettings: Sendable {
    /// How long a session is valid without a renewal, unless the URL sets `lease`.
    static let standardLease = Duration.seconds(30)
    /// How long a server may take to answer a read.
    static let readingPatience = Duration.seconds(30)

    let location: StateLocation
    var tables: StateTables
    let lease: Duration
    let hasPassword: Bool
    /// The options for libpq in ascending precedence: those in the URL win over those before it.
    let options: [(name: String, value: String)]

    /// Reads a URL; the environment provides the missing parts, as in libpq.
    ///
    /// Throws ``StateError``, `input`.
    init(
        _ location: StateLocation,
        environment: (String) -> String? = { unsafe getenv($0).map { unsafe String(cString: $0) } }
    ) throws(StateError) {
        self.location = location
        var schema = "openmarket"
        var lease = Self.standardLease
        for (name, value) in location.parameters {
            switch name {
            case "schema":
                guard Self.isName(value) else {
                    throw StateError(
                        .input,
                        "the schema of the state \(location) is not a name of small letters, digits and _, as PostgreSQL's are"
                    )
                }
                schema = String(value)
            case "lease":
                guard let seconds = Int(value), (1...3600).contains(seconds) else {
                    throw StateError(
                        .input,
                        "the lease of the state \(location) is not a number of seconds from 1 to 3600"
                    )
                }
                lease = .seconds(seconds)
            default: break
            }
        }
        tables = StateTables(schema: schema)
        self.lease = lease

        let url = Self.withoutOwnParameters(location)
        guard let said = Self.parsed(url), !Self.hasSplitPassword(said) else {
            // libpq's message would repeat the URL, including a password.
            throw StateError(
                .input,
                "the state \(location) is not a URL that PostgreSQL's libpq can read: it begins with postgresql://, and @, / "
                    + "and % of a name or password are %40, %2F and %25 in it"
            )
        }
        hasPassword = said["password"] != nil || said["sslpassword"] != nil
        let hosts = Self.list(said["host"] ?? environment("PGHOST"))
        let addresses = Self.list(said["hostaddr"] ?? environment("PGHOSTADDR"))
        let hasService = said["service"] != nil || environment("PGSERVICE") != nil
        var options = [("fallback_application_name", "openmarket")]
        // libpq's default accepts unencrypted connections and unverified servers. A service file may name any host.
        if hasService || !(hosts + addresses).allSatisfy(Self.isLocal) { options.append(("sslmode", "verify-full")) }
        if max(hosts.count, addresses.count) > 1 { options.append(("target_session_attrs", "read-write")) }
        options.append(("dbname", url))
        options.append(("client_encoding", "UTF8"))
        self.options = options
    }

    /// Connects, and runs the body on a separate thread; throws ``StateError``.
    func connected<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let reading = ConnectionActor(self)
        do {
            return try await reading.run(body)
        } catch {
            throw StateError(error, at: location)
        }
    }

    // MARK: - The URL

    /// The URL for libpq, without the tool's parameters.
    private static func withoutOwnParameters(_ location: StateLocation) -> String {
        let text = location.revealed
        guard let mark = text.firstIndex(of: "?") else { return text }
        let rest = text[mark...].dropFirst().prefix { $0 != "#" }.split(separator: "&").filter { parameter in
            !["schema", "lease"].contains(parameter.prefix { $0 != "=" })
        }
        return String(text[..<mark]) + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
    }

    /// The parameters in the URL itself, without those of services and variables.
    private static func parsed(_ url: String) -> [String: String]? {
        var error: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(url, &error)
        unsafe PQfreemem(error)
        guard let options = unsafe options else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var said: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe said[String(cString: keyword)] = String(cString: value) }
            unsafe option += 1
        }
        return said
    }

    /// Whether a part of a password looks like a port, a database or a host, by an unescaped `/` or `@`.
    private static func hasSplitPassword(_ said: [String: String]) -> Bool {
        let isPort = (said["port"] ?? "").utf8.allSatisfy { "0123456789,".utf8.contains($0) }
        let hosts = (said["host"] ?? "").split(separator: ",")
        return !isPort || said["dbname"]?.contains("@") ?? false
            // A socket's folder begins with a slash, and an abstract socket's name with an @.
            || hosts.contains { !$0.hasPrefix("/") && $0.dropFirst().contains("@") }
    }

    private static func list(_ hosts: String?) -> [Substring] {
        hosts?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 63 else { return false }
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
        }
        return isLetter(first)
            && text.utf8.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && !text.hasPrefix("pg_")
    }

    /// Whether a connection to a host or address stays on the machine.
    private static func isLocal(_ host: Substring) -> Bool {
        let isLoopback = host.hasPrefix("127.") && host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        return host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || isLoopback
            || host == "::1"
    }
}

private actor ConnectionActor {
    private nonisolated let executor = QueueExecutor("openmarket.postgresql.reader")
    private let settings: ConnectionSettings

    init(_ settings: ConnectionSettings) {
        self.settings = settings
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func run<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) throws -> Value {
        try body(Connection(settings, patience: .each(ConnectionSettings.readingPatience)))
    }
}
