import FoundationEssentials

/// A pgbouncer that gives each transaction whichever connection is free.
struct PostgreSQLPooler: Sendable {
    private static let path =
        Program.installed("pgbouncer")
        ?? ["/usr/sbin/pgbouncer"].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether there is one to start.
    static var isAvailable: Bool { path != nil && PostgreSQLServer.isAvailable }

    /// Where its socket is.
    let folder: String

    /// One for all tests of the process, before the server that they share.
    static var shared: PostgreSQLPooler {
        get async throws { try await started.value }
    }

    private static let started = Task { try await start(before: PostgreSQLServer.shared) }

    /// The URL of a state in a schema behind it.
    func url(schema: String, _ parameters: String = "") -> String {
        "postgresql://openmarket@/postgres?host=\(folder)&schema=\(schema)\(parameters)"
    }

    /// Starts one before a server, which removes it with itself.
    static func start(before server: PostgreSQLServer) async throws -> PostgreSQLPooler {
        guard let path else { throw PostgreSQLServer.Failure(description: "no pgbouncer is installed") }
        let pooler = PostgreSQLPooler(folder: server.poolerFolder)
        let folder = pooler.folder
        try await server.program("/bin/mkdir", [folder])
        let settings = """
            [databases]
            postgres = host=\(server.folder) dbname=postgres user=openmarket pool_size=3
            [pgbouncer]
            listen_addr =
            listen_port = 5432
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            max_client_conn = 200
            server_login_retry = 1
            logfile = \(folder)/log
            pidfile = \(folder)/pid
            """
        // Not in its own folder, which belongs to the server's user.
        let file = server.folder + "/pooler.ini"
        try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
        try await server.program(path, ["--daemon", "--quiet", file])
        // It goes to the background before its socket takes connections.
        var attempts = 0
        while true {
            attempts += 1
            do {
                try await server.sql("SELECT 1", through: folder)
                return pooler
            } catch  where attempts < 200 {}
        }
    }
}
