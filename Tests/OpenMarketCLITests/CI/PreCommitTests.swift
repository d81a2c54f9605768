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
            #expect(try await git("git add openmarket.yaml images && git commit -q -m Begin") == 0)
            // A picture that is there, and not in the commit.
            try shop.write(
                "openmarket.yaml",
                try shop.text("openmarket.yaml").replacing("images/1.png", with: "new.png")
            )
            try shop.write("new.png", SmallPicture.png(7))
            #expect(try await git("git commit -q -a -m Picture") == 1)
            #expect(try await git("git add new.png && git commit -q -a -m Picture") == 0)
            // A fault in the folder that is not committed.
            try shop.write("openmarket.yaml", "products: 7\n")
            #expect(try await git("git commit -q --allow-empty -m Nothing") == 0)
            #expect(try await git("git commit -q -a -m Fault") == 1)
            // A machine without the tool.
            #expect(try await git("PATH=/usr/bin:/bin git commit -q -a -m Fault") == 0)
        }
    }
}
