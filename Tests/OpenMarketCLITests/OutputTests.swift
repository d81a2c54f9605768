@testable import OpenMarketTestSupport
import Testing

/// Where results go, and what they never replace.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutputTests {
    @Test(arguments: ["plan -o -", "plan --write json=-"])
    func `64 where a plan would go to stdout`(line: String) async throws {
        try await CommandSandbox.open { shop in
            let output = try await shop.sh("openmarket \(line)")
            #expect(output.status == 64, "\(output.errorText)")
        }
    }

    @Test
    func `an export keeps links and closed modes, and leaves nothing beside a pipe`() async throws {
        try await CommandSandbox.applied { shop in
            let line = """
                touch real.csv && chmod 600 real.csv && ln -s real.csv link.csv && openmarket export -q -o link.csv
                test -L link.csv && ls -l real.csv | cut -c 1-10
                openmarket export -q -o /dev/stdout | wc -l
                ls /dev/stdout.certificate.json 2>/dev/null
                ln -s later.csv early.csv && openmarket export -q -o early.csv && test -L early.csv && wc -l < later.csv
                echo kept > all.csv && openmarket export -q -o /dev/stdout >> all.csv && wc -l < all.csv
                openmarket export -q -o /dev/fd/3 3>> all.csv && wc -l < all.csv && head -1 all.csv
                openmarket convert shop.csv --currency USD -o /dev/stdout > shop.yaml && head -1 shop.yaml
                mkfifo pipe && openmarket export --format sqlite -o pipe; echo $?
                openmarket export -o later.csv/ || ls all.csv.* 2>/dev/null
                """
            try shop.write("shop.csv", "Handle,Title,Body (HTML),Variant Price\nmug,Mug,Holds 300 ml,5\n")
            let output = try await shop.sh(line)
            let head = "# Name the market here, or give --url and --api to every command:"
            #expect(output.text == "-rw-------\n5\n5\n6\n11\nkept\n\(head)\n64\n")
            #expect(output.errorText.contains("error: SQLite output needs a regular file, and pipe is not one\n"))
            #expect(
                output.errorText.contains(
                    "later.csv/: a path that ends with a slash is a folder's\n  help: name a file"
                )
            )
        }
    }

    @Test
    func `invalid ports are refused everywhere`() async throws {
        try await CommandSandbox.open { shop in
            for line in [
                "plan --url http://127.0.0.1:99999", "export --url http://127.0.0.1:0", "ping --url http://[::1",
            ] {
                let output = try await shop.program(line.split(separator: " ").map(String.init)).run()
                #expect(output.status == 64, "\(line)")
            }
            #expect(try await shop.openmarket("serve", "--port", "99999").status == 64)
        }
    }
}
