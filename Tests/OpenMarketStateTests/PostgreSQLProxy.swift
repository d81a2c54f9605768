import FoundationEssentials
@testable import OpenMarketTestSupport

/// A socket between a client and a server, which breaks connections at the commits that go over them.
struct PostgreSQLProxy: Sendable {
    /// Where its socket is.
    let folder: String

    /// What it does to a connection over which a commit goes.
    enum Trouble: String {
        /// Breaks two of five: before the server has it, when the server has it, or when it has answered.
        case cut
        /// Hands nothing on from when the file `silent` is in its folder.
        case silence
    }

    /// Runs one before a server.
    static func running(
        before server: PostgreSQLServer,
        _ trouble: Trouble,
        _ body: (PostgreSQLProxy) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let program = Program(
            Python.path ?? "python3",
            ["-c", script, folder.path + "/.s.PGSQL.5432", server.folder + "/.s.PGSQL.5432", trouble.rawValue],
            folder: folder.path
        )
        _ = try await program.run { process in
            try await process.line(containing: "ready")
            defer { process.send(.kill) }
            try await body(PostgreSQLProxy(folder: folder.path))
        }
    }

    /// The URL of a state in a schema behind it.
    func url(schema: String, _ parameters: String = "") -> String {
        "postgresql://openmarket@/postgres?host=\(folder)&schema=\(schema)\(parameters)"
    }

    /// How many connections it broke, by when it did.
    func cuts() throws -> [String: Int] {
        let lines = try String(contentsOfFile: folder + "/cuts", encoding: .utf8).split(separator: "\n").map(
            String.init
        )
        return Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Hands nothing on from now on, or all again.
    func silence(_ isSilent: Bool) throws {
        let file = folder + "/silent"
        if isSilent {
            try Data().write(to: URL(fileURLWithPath: file))
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private static let script = """
        import os, random, socket, sys, threading

        own, server, trouble = sys.argv[1:4]
        folder = os.path.dirname(own)
        chance = random.Random(5)
        cuts = open(folder + "/cuts", "a", buffering=1)

        def is_silent():
            return trouble == "silence" and os.path.exists(folder + "/silent")

        def forward(source, target, both, link):
            try:
                while True:
                    data = source.recv(1 << 16)
                    if not data:
                        break
                    while is_silent():
                        threading.Event().wait(0.02)
                    is_change = b".record($1" in data or b"SET batch = $2" in data
                    if trouble == "cut" and source is both[0] and is_change:
                        place = chance.random()
                        if place < 0.14:
                            cuts.write("before\\n")
                            break
                        if place < 0.28:
                            target.sendall(data)
                            cuts.write("behind\\n")
                            break
                        link["swallow"] = place < 0.42
                    if source is both[1] and link.get("swallow"):
                        cuts.write("answered\\n")
                        break
                    target.sendall(data)
            except OSError:
                pass
            for end in both:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        listener = socket.socket(socket.AF_UNIX)
        listener.bind(own)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            client, _ = listener.accept()
            upstream = socket.socket(socket.AF_UNIX)
            try:
                upstream.connect(server)
            except OSError:
                client.close()
                continue
            both, link = (client, upstream), {}
            for ends in [(client, upstream), (upstream, client)]:
                threading.Thread(target=forward, args=(*ends, both, link), daemon=True).start()
        """
}
