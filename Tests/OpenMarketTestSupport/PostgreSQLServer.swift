import FoundationEssentials

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PostgreSQL server in a folder of its own, reached through a socket there; gone with the process that runs the tests.
struct PostgreSQLServer: Sendable {
    /// Where its socket is.
    let folder: String
    private let programs: String
    /// What removes it, with its folder and all that runs there.
    private var removal: Task<Program.Output, any Error>?

    /// Where the server's programs are; `nil` where they are not installed.
    private static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let debian = versions.compactMap(Int.init).sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
        let path = Program.installed("initdb").map { String($0.dropLast("/initdb".count)) }
        return (debian + [path].compactMap(\.self)).first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }()

    /// Whether there is a server to start.
    static var isAvailable: Bool { programs != nil }

    /// One server for all tests of the process, started when the first of them asks for it.
    static var shared: PostgreSQLServer {
        get async throws { try await started.value }
    }

    private static let started = Task { try await start() }

    /// Starts a server of a test's own, and removes it when the body has ended.
    static func running(_ body: (PostgreSQLServer) async throws -> Void) async throws {
        let server = try await start()
        do {
            try await body(server)
        } catch {
            try? await server.remove()
            throw error
        }
        try await server.remove()
    }

    /// The URL of a state in a schema.
    func url(schema: String, _ parameters: String = "") -> String {
        "postgresql://openmarket@/postgres?host=\(folder)&schema=\(schema)\(parameters)"
    }

    /// Stops it at once, as a crash does.
    func crash() async throws {
        // All its processes at the same time. A container may not reap them, so that its lock files would seem to be held.
        try await program(
            "/bin/sh",
            [
                "-c",
                """
                server=$(head -n 1 "$1")
                kill -9 "$server" $(cat "/proc/$server/task/$server/children")
                rm "$1" "$2"
                """,
                "sh", folder + "/data/postmaster.pid", folder + "/.s.PGSQL.5432.lock",
            ]
        )
    }

    /// Starts it again.
    func start(_ settings: [String] = []) async throws {
        let options = [
            "listen_addresses=", "unix_socket_directories=" + folder, "max_connections=100", "shared_buffers=16MB",
        ]
        let said = (options + settings).map { "-c \($0)" }.joined(separator: " ")
        try await run("pg_ctl", ["-w", "-D", folder + "/data", "-l", folder + "/log", "-o", said, "start"])
    }

    /// Makes a standby of it, which follows what it writes.
    func standby() async throws -> PostgreSQLServer {
        let standby = PostgreSQLServer(folder: folder + "/standby", programs: programs)
        let options = ["-U", "openmarket", "-R", "-X", "stream", "-c", "fast", "--no-sync"]
        try await run("pg_basebackup", ["-h", folder, "-D", standby.folder + "/data"] + options)
        try await standby.start()
        return standby
    }

    /// Lets a standby take over.
    func promote() async throws {
        try await run("pg_ctl", ["-w", "-D", folder + "/data", "promote"])
    }

    /// Carries out SQL, as an administrator, and returns what it prints, a line a row.
    ///
    /// The host is where the socket is: the server's own, or a pooler's before it.
    @discardableResult
    func sql(_ text: String, through host: String? = nil) async throws -> [String] {
        let options = [
            "-h", host ?? folder, "-U", "openmarket", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, "postgres",
        ]
        let output = try await run("psql", options)
        return output.split(separator: "\n").map(String.init)
    }

    /// Locks rows while a body runs, as a session does that is frozen in the middle of a change.
    ///
    /// The rows are said from `FROM` on.
    func locking<Value: Sendable>(_ rows: String, _ body: () async throws -> Value) async throws -> Value {
        let options = ["-h", folder, "-U", "openmarket", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        let name = "lock-\(UUID().uuidString)"
        let statements = ["BEGIN", "SELECT 'locked' \(rows) FOR UPDATE", "SELECT pg_sleep(600) AS \"\(name)\""]
        let command = command(programs + "/psql")
        var arguments = command.dropFirst() + options
        for statement in statements { arguments += ["-c", statement] }
        let psql = Program(command[0], arguments + ["postgres"], folder: folder)
        let value = try await psql.run { process in
            try await process.line(containing: "locked")
            defer { process.send(.kill) }
            return try await body()
        }.value
        try await sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE '%\(name)%' AND pid <> pg_backend_pid()
            """
        )
        return value
    }

    private static func start() async throws -> PostgreSQLServer {
        guard let programs else { throw Failure(description: "no PostgreSQL server is installed") }
        let folder = FileManager.default.temporaryDirectory.path + "/openmarket-pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let server = PostgreSQLServer(folder: folder, programs: programs)
        if geteuid() == 0 {
            let owner = try await Program("/bin/chown", [server.user, folder], folder: "/").run()
            guard owner.status == 0 else { throw Failure(description: owner.errorText) }
        }
        let options = ["-U", "openmarket", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        try await server.run("initdb", ["-D", folder + "/data"] + options)
        try await server.start()
        return server.removedAfterUse()
    }

    /// Has a process of its own remove the server when a test asks for it or the tests end, whatever becomes of them.
    ///
    /// It alone removes the folder: two that do at the same time find files gone that they have just listed.
    private func removedAfterUse() -> PostgreSQLServer {
        let script = """
            while kill -0 \(getpid()) 2>/dev/null && [ ! -e \(endMark) ]; do sleep 0.2; done
            [ ! -f \(poolerFolder)/pid ] || kill -9 $(cat \(poolerFolder)/pid)
            for data in \(folder)/standby/data \(folder)/data; do
                [ ! -d $data ] || \(command(programs + "/pg_ctl").joined(separator: " ")) -D $data -m immediate stop
            done
            rm -rf \(folder)
            """
        var server = self
        server.removal = Task { try await Program("/bin/sh", ["-c", script], folder: "/").run() }
        return server
    }

    /// Where the files of a pooler before it are.
    var poolerFolder: String { folder + "/pooler" }

    /// The file that asks for the removal.
    private var endMark: String { folder + "/end" }

    private func remove() async throws {
        try Data().write(to: URL(fileURLWithPath: endMark))
        let output = try await removal?.value
        guard output?.status == 0 else {
            throw Failure(description: "\(folder): \(output?.errorText ?? "not removed")")
        }
    }

    /// The server refuses to run as root; Debian makes this user with it.
    private var user: String { "postgres" }

    /// A program as the server's user runs it.
    private func command(_ program: String) -> [String] {
        geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", program] : [program]
    }

    /// Runs a program to its end, as the server's user.
    @discardableResult
    func program(_ path: String, _ arguments: [String]) async throws -> String {
        let command = command(path)
        let output = try await Program(command[0], command.dropFirst() + arguments, folder: folder).run()
        guard output.status == 0 else { throw Failure(description: "\(path): \(output.errorText)\(output.text)") }
        return output.text
    }

    @discardableResult
    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        try await program(programs + "/" + name, arguments)
    }

    /// A program of the server's failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
