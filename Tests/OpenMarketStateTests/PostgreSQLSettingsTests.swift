@testable import OpenMarket
import Testing
@testable import OpenMarketState

/// What libpq is given of a URL.
struct PostgreSQLSettingsTests {
    private func options(_ url: String, _ variables: [String: String] = [:]) throws -> [String] {
        try ConnectionSettings(StateLocation(url)) { variables[$0] }.options.map { "\($0.name)=\($0.value)" }
    }

    private let first = "fallback_application_name=openmarket"
    private let last = "client_encoding=UTF8"

    @Test(arguments: [
        "postgresql://db.example/shop", "postgresql://127.0.0.1,db.example/shop", "postgresql:///?service=shop",
        "postgresql://db.example/shop?sslmode=disable", "postgresql://localhost/shop?hostaddr=192.0.2.2",
        "postgresql://127.example.org/shop", "postgresql:///shop?hostaddr=127.0.0.1,192.0.2.2",
    ])
    func `a server elsewhere has to prove who it is, unless the URL says otherwise`(url: String) throws {
        let options = try options(url)
        let own = try #require(options.firstIndex(of: "sslmode=verify-full"))
        // What comes later counts.
        #expect(try own < #require(options.firstIndex(of: "dbname=\(url)")))
    }

    @Test(arguments: [
        "postgresql://localhost/shop", "postgresql://127.0.0.1:5433/shop", "postgresql://%2Ftmp/shop",
        "postgresql:///shop?host=/tmp", "postgresql://[::1]/shop", "postgres://localhost/shop",
    ])
    func `a server on this machine need not`(url: String) throws {
        #expect(try options(url) == [first, "dbname=\(url)", last])
    }

    @Test(arguments: [["PGHOST": "db.example"], ["PGHOSTADDR": "192.0.2.2"], ["PGSERVICE": "shop"]])
    func `one that variables name elsewhere has to prove it, too`(variables: [String: String]) throws {
        #expect(try options("postgresql:///shop", variables).contains("sslmode=verify-full"))
        #expect(try !options("postgresql:///shop").contains("sslmode=verify-full"))
    }

    @Test func `of several servers the one that writes is meant`() throws {
        #expect(try options("postgresql://a,b/shop").contains("target_session_attrs=read-write"))
        #expect(try !options("postgresql://a/shop").contains("target_session_attrs=read-write"))
    }

    @Test func `other parameters are handed on as they are written`() throws {
        let rest = "sslrootcert=&application_name=a%3Db&options=-c%20geqo%3Doff&keepalives=1"
        let url = "postgresql://localhost/shop?schema=team&\(rest)&lease=9"
        #expect(try options(url) == [first, "dbname=postgresql://localhost/shop?\(rest)", last])
    }

    @Test func `schema and lease are ours`() throws {
        let url = "postgresql://localhost/shop?schema=team_a&connect_timeout=5&lease=2"
        let settings = try ConnectionSettings(StateLocation(url))
        #expect(try options(url) == [first, "dbname=postgresql://localhost/shop?connect_timeout=5", last])
        #expect(settings.tables.schema == "team_a")
        #expect(settings.lease == .seconds(2))
        #expect(
            try options("postgresql://localhost/shop?lease=2") == [first, "dbname=postgresql://localhost/shop", last]
        )
        let standard = try ConnectionSettings(StateLocation("postgresql://localhost/shop"))
        #expect(standard.tables.schema == "openmarket")
        #expect(standard.lease == .seconds(30))
    }

    @Test(arguments: [
        ("postgresql://lamp:hunter2@localhost/shop", true), ("postgresql://localhost/shop?password=hunter2", true),
        ("postgresql://localhost/shop?sslpassword=hunter2", true), ("postgresql://lamp@localhost/shop", false),
        ("postgresql:///?service=shop", false),
    ])
    func `a password in the URL is warned of`(url: String, warns: Bool) throws {
        let warnings = try PostgreSQLState(StateLocation(url)).warnings
        #expect(warnings.isEmpty != warns)
        #expect(!warnings.joined().contains("hunter2"))
    }

    @Test(arguments: [
        "postgresql://lamp:hunter2/@localhost/shop", "postgresql://lamp:p@hunter2/@localhost/shop",
        "postgresql://lamp:p@sshunter2@localhost/shop", "postgresql:/lamp:hunter2@localhost/shop",
        "postgresql://lamp:hunter2@localhost/shop?nonsense=1",
        "postgresql://lamp:hunter2%0@localhost/shop", "postgresql://localhost/shop?schema=hunter2-",
        "postgresql://localhost/shop?schema=", "postgresql://localhost/shop?schema=pg_catalog",
        "postgresql://localhost/shop?lease=0", "postgresql://localhost/shop?lease=hunter2",
    ])
    func `a URL that cannot be read is refused without its secrets`(url: String) {
        let error = #expect(throws: StateError.self) { try PostgreSQLState(StateLocation(url)) }
        #expect(error?.code == .input)
        #expect(error.map { !"\($0)".contains("hunter2/") && !"\($0)".contains(":hunter2") } == true, "\(url)")
    }
}
