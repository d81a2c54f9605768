@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

/// Connections to a server with a certificate of an authority of one's own.
@Suite(
    .enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"),
    .enabled(if: Program.installed("openssl") != nil, "openssl is not installed"),
    .timeLimit(.minutes(2))
)
struct PostgreSQLEncryptionTests {
    /// Makes an authority, and a certificate of the server by the name `localhost`.
    private static let certificates = """
        set -e
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt
        openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
        printf 'subjectAltName=DNS:localhost' > names
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=another -keyout another.key -out another.crt
        chmod 600 server.key; chmod 644 ca.crt another.crt
        """

    @Test func `a server is believed whose certificate is signed and named right, and no other`() async throws {
        let free = try RefusingPort().url.split(separator: ":").last.map(String.init)
        let port = try #require(free)
        try await PostgreSQLServer.running { server in
            try await server.program("/bin/sh", ["-c", Self.certificates])
            try await server.crash()
            let folder = server.folder
            // The socket keeps the number in its name: everything else goes over TCP.
            try await server.start([
                "listen_addresses=127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(folder)/server.crt",
                "ssl_key_file=\(folder)/server.key",
            ])
            func state(_ host: String, _ authority: String) throws -> PostgreSQLState {
                let options = "schema=team&sslmode=verify-full&sslrootcert=\(folder)/\(authority).crt"
                return try PostgreSQLState(StateLocation("postgresql://openmarket@\(host):\(port)/postgres?\(options)"))
            }
            try await state("localhost", "ca").holding(Samples.staging, for: "test") { session in
                try await session.apply([.put(Samples.lamp)])
                #expect(try await session.entries() == [Samples.lamp])
            }
            for (host, authority) in [("127.0.0.1", "ca"), ("localhost", "another")] {
                let error = await #expect(throws: StateError.self) {
                    _ = try await state(host, authority).hold(Samples.staging, for: "test", waiting: .zero)
                }
                #expect(error?.code == .io)
                #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")
            }
        }
    }
}
