@testable import OpenMarketTestSupport
import Testing

/// The hook of `examples/ci/pre-commit` in a real repository.
struct PreCommitTests {
    @Test func `it lets through what is valid in the index, without secrets, whatever lies in the folder`() async throws
    {
        try await CommandSandbox.open { shop in
            let machine = BuildMachine(shop: shop)
            let secrets = ["OPENMARKET_IDENTIFIER": "", "OPENMARKET_SECRET": ""]
            func git(_ script: String) async throws -> Int32 {
                try await machine.shell(script, folder: shop.folder, environment: secrets)
            }
            try shop.write("hook", try Recipes.text("examples/ci/pre-commit"))
            let prepared = try await git(
                """
                git init -q -b main
                git config user.name seller
                git config user.email seller@example.com
                install -m 755 hook .git/hooks/pre-commit
                """
            )
            #expect(prepared == 0)
            for (line, status) in [
                ("git add openmarket.yaml images && git commit -q -m Begin", 0),
                // A picture that is there, and not in the commit.
                ("sed -i 's|images/1.png|new.png|' openmarket.yaml; cp images/6.png new.png", 0),
                ("git commit -q -a -m Picture", 1), ("git add new.png && git commit -q -a -m Picture", 0),
                // A fault in the folder that is not committed.
                ("echo 'products: 7' >openmarket.yaml; git commit -q --allow-empty -m Nothing", 0),
                ("git commit -q -a -m Fault", 1),
                // A machine without the tool.
                ("PATH=/usr/bin:/bin git commit -q -a -m Fault", 0),
            ] as [(String, Int32)] { #expect(try await git(line) == status, "\(line)") }
        }
    }
}
