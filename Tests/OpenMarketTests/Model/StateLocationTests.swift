@testable import OpenMarket
import Testing

struct StateLocationTests {
    @Test(arguments: [
        (".openmarket/state.db", nil, ".openmarket/state.db"),
        ("/srv/a b@c:d/state.db", nil, "/srv/a b@c:d/state.db"),
        ("C://x", "C", "C://x"),
        ("postgres://db.example/shop", "postgres", "postgres://db.example/shop"),
        ("postgres://lamp@db.example:5432/shop", "postgres", "postgres://lamp@db.example:5432/shop"),
        ("postgres://lamp:hunter2@db.example/shop", "postgres", "postgres://lamp@db.example/shop"),
        ("postgres://lamp:hun@ter2@db.example/shop", "postgres", "postgres://lamp@db.example/shop"),
        ("postgres://lamp:hunter2/@db.example/shop", "postgres", "postgres://…"),
        ("postgres://lamp:hunter2?@db.example/shop", "postgres", "postgres://…"),
        ("postgres://db.example/shop?password=hunter2", "postgres", "postgres://db.example/shop"),
        ("postgres://db.example/shop?password=hunter2@x", "postgres", "postgres://…"),
        (
            "postgresql:///?service=shop&password=hunter2&schema=team_a&lease=2", "postgresql",
            "postgresql:///?service=shop&schema=team_a"
        ),
        (
            "postgresql://lamp:hunter2@db1,db2/shop?sslpassword=hunter2&schema=team_a#schema=hunter2", "postgresql",
            "postgresql://lamp@db1,db2/shop?schema=team_a"
        ),
        ("postgres://lamp:hunter2@db.example/shop#hunter2", "postgres", "postgres://lamp@db.example/shop"),
        ("://x", nil, "://x"),
        ("postgresql:/lamp:hunter2@db.example/shop", "postgresql", "postgresql:…"),
        ("Postgres:lamp:hunter2@db.example/shop", "postgres", "postgres:…"),
        ("postgresql-2/state.db", nil, "postgresql-2/state.db"),
    ])
    func `a location prints without its password, however it is printed`(
        text: String,
        scheme: String?,
        printed: String
    ) {
        let location = StateLocation(text)
        #expect(location.scheme == scheme)
        #expect(location.revealed == text)
        var dumped = ""
        dump(location, to: &dumped)
        #expect(["\(location)", String(reflecting: location)] == [printed, printed])
        #expect(!dumped.contains("hun") && !"\([location])".contains("hun"))
    }
}
