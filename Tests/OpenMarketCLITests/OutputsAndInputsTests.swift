import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Every command with every output on every input that it reads, as the program itself names its options.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OutputsAndInputsTests {
    // MARK: - What the options are

    private enum Use {
        case input, output, state, folder, none
    }

    /// What each option with a value is for; one that is not here fails the test below.
    private static let uses: [String: Use] = [
        "file": .input, "target-file": .input, "mapping": .input, "placeholder": .input, "since": .input,
        "verify": .input, "replay": .input, "decisions": .input, "for": .input, "vendors": .input, "faults": .input,
        "out": .output, "write": .output, "result": .output, "picture-list": .output, "database": .output,
        "state": .state, "images": .folder,
        "api": .input, "market-parameter": .none, "url": .none, "format": .none, "columns": .none, "separator": .none,
        "keep": .none,
        "on-success": .none, "on-failure": .none, "wait": .none, "parallelism": .none, "timeout": .none,
        "refresh": .none, "language": .none, "on-drift": .none, "target": .none, "exclude": .none, "recreate": .none,
        "max-delete": .none,
        "max-price-change": .none, "min-price": .none, "max-gone": .none, "override": .none, "reason": .none,
        "rate": .none, "lock-timeout": .none, "keep-runs": .none, "keep-pictures": .none, "settle-delay": .none,
        "expect-plan": .none,
        "accept-market": .none, "picture-url": .none, "pictures-url": .none,
        "id": .none, "vendor-id": .none, "from": .none, "currency": .none, "fetch-from": .none, "limit": .none,
        "run": .none, "host": .none, "port": .none, "read-after-write-delay": .none, "body-limit": .none,
        "allow-origin": .none, "public-url": .none, "seed": .none, "seed-value": .none, "default-description": .none,
        "market-url": .none, "allow-missing": .none, "where": .none, "round": .none, "ending": .none, "replace": .none,
        "with": .none, "in": .none, "into": .input, "prefer": .none, "after": .none,
    ]
    /// The formats of `--write`, by command.
    private static let formats: [String: [String]] = [
        "validate": ["json", "sarif"], "plan": ["text", "json", "markdown", "html"],
        "show": ["text", "json", "markdown", "html"], "pull": ["diff"],
        "edit": ["diff"], "undo": ["diff"],
    ]

    /// A command line with all the inputs that it can have, and without its outputs.
    private struct Line {
        var command: String
        var words: String
        /// The outputs that the line can have, where the command's others belong to another line.
        var outputs: [String]
        var inputs: [String]
        /// What the line writes over by right.
        var replaces: [String] = []
    }

    private static let manifests = [
        "openmarket.yaml", "more/more.yaml", "link.yaml", "images/1.png", "images/link.png", "hard.jpg", "fan.txt",
        "secret.txt", "more/small.png",
    ]
    private static let states = ["", "-wal", "-shm", "-journal", ".lock"].map { ".openmarket/state.db" + $0 }

    private static let lines = [
        Line(
            command: "validate",
            words: "validate openmarket.yaml more --api shop.market.yaml",
            outputs: ["write"],
            inputs: manifests + states + ["shop.market.yaml"]
        ),
        Line(
            command: "plan",
            words: "plan openmarket.yaml more --target-file keys.txt --api shop.market.yaml",
            outputs: ["out", "write"],
            inputs: manifests + states + ["keys.txt", "shop.market.yaml"]
        ),
        Line(
            command: "plan",
            words: "plan openmarket.yaml more table.csv --state other.db --into openmarket.yaml",
            outputs: ["write"],
            inputs: ["openmarket.yaml", "table.csv", "other.db", "other.db-wal"]
        ),
        Line(
            command: "show",
            words: "show plan.json --target-file keys.txt --decisions decisions.json",
            outputs: ["out", "write"],
            inputs: manifests + states + ["plan.json", "keys.txt", "decisions.json"]
        ),
        Line(
            command: "apply",
            words: "apply openmarket.yaml more --yes --target-file keys.txt --api shop.market.yaml",
            outputs: ["result"],
            inputs: manifests + states + ["keys.txt", "shop.market.yaml"]
        ),
        Line(
            command: "apply",
            words: "apply openmarket.yaml more table.csv --yes --into openmarket.yaml",
            outputs: ["result"],
            inputs: manifests + states + ["table.csv"]
        ),
        Line(
            command: "apply",
            words: "apply plan.json --target-file keys.txt --decisions decisions.json",
            outputs: ["result"],
            inputs: manifests + states + ["plan.json", "keys.txt", "decisions.json"]
        ),
        Line(
            command: "export",
            words: "export -f openmarket.yaml -f more --format csv --images images --api shop.market.yaml",
            outputs: ["out"],
            inputs: manifests + states + ["images/mug.png", "shop.market.yaml"]
        ),
        Line(
            command: "export",
            words: "export -f openmarket.yaml --format csv --since old.csv",
            outputs: ["out"],
            inputs: ["openmarket.yaml", "fan.txt", "old.csv", "old.csv.certificate.json"] + states
        ),
        Line(
            command: "pull",
            words: "pull -f openmarket.yaml -f more --images images --api shop.market.yaml",
            outputs: ["out"],
            inputs: manifests + states + ["images/mug.png", "shop.market.yaml"],
            replaces: ["openmarket.yaml", "more/more.yaml", "link.yaml"]
        ),
        Line(
            command: "pull",
            words: "pull -f openmarket.yaml -f more --for other.yaml",
            outputs: ["out"],
            inputs: manifests + states + ["other.yaml"]
        ),
        Line(
            command: "pull",
            words: "pull -f openmarket.yaml -f more --drift",
            outputs: ["write"],
            inputs: manifests + states
        ),
        Line(
            command: "edit",
            words: "edit price=5 -f openmarket.yaml -f more --target-file keys.txt",
            outputs: ["write"],
            inputs: manifests + ["keys.txt"]
        ),
        Line(
            command: "edit",
            words: "edit table.csv -f openmarket.yaml -f more --state other.db --into more/more.yaml",
            outputs: ["write"],
            inputs: manifests + ["table.csv"]
        ),
        Line(
            command: "undo",
            words:
                "undo --after RUN -f openmarket.yaml -f more --api shop.market.yaml --into more/more.yaml --target-file keys.txt",
            outputs: ["write"],
            inputs: manifests + states + ["shop.market.yaml", "keys.txt"]
        ),
        Line(
            command: "undo",
            words: "undo plan.json --decisions decisions.json -f openmarket.yaml -f more --target-file keys.txt",
            outputs: ["write"],
            inputs: manifests + ["plan.json", "decisions.json", "keys.txt"]
        ),
        Line(
            command: "convert",
            words:
                "convert shop.csv --mapping mapping.yaml --images images --placeholder images/3.png --replace --currency KRW --api shop.market.yaml",
            outputs: ["out", "picture-list"],
            inputs: [
                "shop.csv", "mapping.yaml", "images/1.png", "images/link.png", "images/3.png", "images/mug.png",
                "shop.market.yaml",
            ]
                + states
        ),
        // It writes over nothing.
        Line(command: "init", words: "init --api shop.market.yaml", outputs: ["out"], inputs: states),
        Line(
            command: "state export",
            words: "state export -f openmarket.yaml --api shop.market.yaml",
            outputs: ["out"],
            inputs: manifests.filter { !$0.hasPrefix("more/") } + states + ["shop.market.yaml"]
        ),
        Line(
            command: "serve",
            words: "serve --port 0 --api v2b --vendors vendors.yaml --faults faults.yaml",
            outputs: ["database"],
            inputs: ["vendors.yaml", "faults.yaml"]
        ),
    ]

    /// The values of an output option that lead to a path.
    private static func arguments(_ option: String, of command: String, to path: String) -> [[String]] {
        guard option == "write" else { return [["--\(option)", path]] }
        return (formats[command] ?? []).map { ["--write", "\($0)=\(path)"] }
    }

    // MARK: - The shop

    private static func open(_ body: (CommandSandbox) async throws -> Void) async throws {
        var manifest = ShopManifest.three
        manifest.market = "  identifier: !env OPENMARKET_IDENTIFIER\n  secret: !file secret.txt"
        manifest["fan"].description = "!file fan.txt"
        try await CommandSandbox.open("v2b", manifest) { shop in
            try shop.write("secret.txt", ReferenceServer.secret + "\n")
            try shop.write("fan.txt", "A fan of paper and wood.")
            try shop.write("keys.txt", "mug\n")
            // A copy of a built-in description is that market.
            try shop.write("shop.market.yaml", BuiltInMarket.v2b.document)
            try shop.write("more/small.png", SmallPicture.png(6))
            try shop.write(
                "more/more.yaml",
                "products:\n  - {key: small, name: Small thing, description: A very small thing., price: 10, stock: 1, images: [small.png]}\n"
            )
            try shop.write("market.yaml", "market:\n\(manifest.market)\ndefaults: {currency: KRW}\n")
            try shop.write("other.yaml", "market: {url: 'http://127.0.0.1:1', api: v2b}\n")
            try shop.write("table.csv", "key,price\nmug,12000\n")
            try shop.write(
                "shop.csv",
                "Code,Title,Text,Cost,Left,Photo\nm1,A mug of blue,It holds 300 ml of tea,5,4,1.png\nm2,A mug of red,It holds 300 ml of tea,5,4,link.png\nm3,A mug of tin,It holds 300 ml of tea,5,4,\nm4,A mug of wood,It holds 300 ml of tea,5,4,mug.png\n"
            )
            try shop.write(
                "mapping.yaml",
                "key: Code\nname: Title\ndescription: Text\nprice: Cost\nstock: Left\nimages: Photo\n"
            )
            try shop.write("vendors.yaml", "vendors:\n  - {name: one, identifier: id-1, secret: secret-1}\n")
            try shop.write("faults.yaml", "rules: []\n")
            let setUp = """
                set -e
                ln -s openmarket.yaml link.yaml; ln -s 1.png images/link.png; ln images/2.jpg hard.jpg
                mkdir images/.content; cp images/4.png images/.content/4.png; ln -s .content/4.png images/mug.png
                openmarket apply openmarket.yaml more --yes
                openmarket apply openmarket.yaml more --yes --state other.db --adopt
                openmarket export -q -f openmarket.yaml -o old.csv
                sed -i 's/price: 12000/price: 12500/' openmarket.yaml
                openmarket plan openmarket.yaml more -o plan.json
                plan=$(openmarket show plan.json --summary 2>&1 | sed -n 's/^Content: //p')
                printf '{"format_version":1,"plan":"%s","by":"me","others":"approve","decisions":[]}' $plan >decisions.json
                for ending in -wal -shm -journal .lock; do touch .openmarket/state.db$ending; done; touch other.db-wal
                """
            let made = try await shop.sh(setUp, environment: ["OPENMARKET_SECRET": ""])
            try #require(made.status == 0, "\(made.errorText)")
            try await body(shop)
        }
    }

    /// All files of the shop with their bytes; what a command may make for itself is not among them.
    private static func files(_ shop: CommandSandbox) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: shop.folder) {
            var isFolder = false
            let path = shop.folder + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else { continue }
            // SQLite's own: it tidies up what the set-up left empty.
            if name.hasSuffix("-shm") || name.hasSuffix("-wal") || name.hasSuffix("-journal") { continue }
            files[name] = try shop.read(name)
        }
        return files
    }

    // MARK: - Tests

    /// A new option that takes a value, and a new command with an output, fail here until they have their line.
    @Test func `every option of the program that takes a value is known, and every output has its lines`() throws {
        for command in try ReferencePage.program().all {
            let taking = command.options.filter { $0.name.contains("<") }.flatMap(\.flags)
            let options = taking.map { String($0.dropFirst(2)) }
            let lines = Self.lines.filter { $0.command == command.title }
            for name in options {
                let use = Self.uses[name]
                #expect(use != nil, "--\(name) of \(command.name): an input, an output, or neither?")
                if command.files.contains(name) { #expect(use != Use.none, "--\(name) of \(command.name)") }
                let covered = lines.contains { $0.outputs.contains(name) }
                if use == .output { #expect(covered, "--\(name) of \(command.name) has no line") }
                guard use == .input, !["file", "verify"].contains(name),
                    options.contains(where: { Self.uses[$0] == .output })
                else { continue }
                let isRead = lines.contains { $0.words.contains("--\(name) ") }
                #expect(isRead, "--\(name) of \(command.name) is in no line")
            }
        }
    }

    @Test func `no output replaces an input, and nothing is asked of the market`() async throws {
        try await Self.open { shop in
            let before = try Self.files(shop)
            let market = try shop.server.writes()
            var cases: [[String]] = []
            for line in Self.lines {
                for option in line.outputs {
                    for input in line.inputs where !line.replaces.contains(input) {
                        let all = Self.arguments(option, of: line.command, to: input)
                        // The formats take one way: each of them is met on some input.
                        let chosen = [all[cases.count % all.count]]
                        cases += chosen.map { line.words.split(separator: " ").map(String.init) + $0 }
                    }
                }
            }
            #expect(cases.count > 150)
            // A market without an answer: whoever asks it ends with 9.
            let closed = try RefusingPort()
            let environment = ["OPENMARKET_SECRET": "", "OPENMARKET_URL": closed.url]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, arguments) in cases.enumerated() {
                    if index >= 4 { try await group.next() }
                    let isLocal = arguments.starts(with: ["state"])
                    group.addTask {
                        let output = try await shop.program(
                            arguments,
                            environment: isLocal ? ["OPENMARKET_SECRET": ""] : environment
                        ).run()
                        #expect(output.status == 64, "\(arguments.joined(separator: " ")): \(output.errorText)")
                    }
                }
                try await group.waitForAll()
            }
            let after = try Self.files(shop)
            for (name, bytes) in before { #expect(after[name] == bytes, "\(name) was changed") }
            #expect(Set(after.keys).subtracting(before.keys) == [])
            #expect(try shop.server.writes().count == market.count)
            withExtendedLifetime(closed) {}
        }
    }

    @Test func `no output takes the place of a state's file, of another database, or of edits`() async throws {
        try await Self.open { shop in
            let setUp = """
                set -e
                mkdir kept; printf 'SQLite format 3\\0%084d' 0 >kept/database
                cp .openmarket/state.db .openmarket/state.db.before-v2; cp plan.json .openmarket/runs/a.json
                printf 'mine' >new.csv; printf 'mine' >new.csv.certificate.json; printf 'mine' >.new.csv.resume
                """
            try #require(try await shop.sh(setUp).status == 0)
            let victims = [
                ("kept/database", 5), (".openmarket/state.db.before-v2", 64), (".openmarket/runs/a.json", 64),
                (".openmarket/new.json", 64),
            ]
            let before = try Self.files(shop)
            for line in Self.lines where line.command != "serve" && line.command != "init" {
                for option in line.outputs {
                    for (victim, status) in victims {
                        let all = Self.arguments(option, of: line.command, to: victim)
                        let words =
                            line.words.split(separator: " ").map(String.init) + all[victim.utf8.count % all.count]
                        let output = try await shop.program(words, environment: ["OPENMARKET_SECRET": ""]).run()
                        #expect(output.status == status, "\(words.joined(separator: " ")): \(output.errorText)")
                    }
                }
            }
            let after = try Self.files(shop)
            for (name, bytes) in before { #expect(after[name] == bytes, "\(name) was changed") }
            #expect(Set(after.keys).subtracting(before.keys) == [])
            // A file of the user's is replaced; only the replies of an export are kept in no file of a person's.
            let export = try await shop.openmarket("export", "-o", "new.csv")
            #expect(export.status == 0, "\(export.errorText)")
            #expect(export.errorText.contains(".new.csv.resume: it is not one of an export's"))
            #expect(try shop.text(".new.csv.resume") == "mine")
            #expect(try await shop.openmarket("export", "-o", "new.csv").status == 0)
            // What changed since an export is written again, and so is any other output.
            for arguments in [["export", "--since", "old.csv", "-o", "changes.txt"], ["plan", "-o", "new.json"]] {
                let isPlan = arguments[0] == "plan"
                for _ in 1...2 {
                    try shop.write(isPlan ? "new.json" : "changes.txt", "mine")
                    #expect(try await shop.program(arguments).run().status == 0)
                    #expect(try shop.text(isPlan ? "new.json" : "changes.txt") != "mine")
                    #expect(try await shop.program(arguments).run().status == 0)
                }
            }
            for stream in ["/dev/null", "/dev/stdout"] {
                #expect(try await shop.openmarket("export", "-q", "-o", stream).status == 0, "\(stream)")
            }
        }
    }

    @Test func `two outputs of one run are two files`() async throws {
        try await Self.open { shop in
            let before = try Set(Self.files(shop).keys)
            for line in Self.lines {
                let outputs = line.outputs.flatMap { Self.arguments($0, of: line.command, to: "new.json") }
                for (index, first) in outputs.enumerated() {
                    for second in outputs[(index + 1)...] {
                        // The same file by another path.
                        let second = second.map { $0.replacing("new.json", with: "./images/../new.json") }
                        let arguments = line.words.split(separator: " ").map(String.init) + first + second
                        let output = try await shop.program(arguments, environment: ["OPENMARKET_SECRET": ""]).run()
                        #expect(output.status == 64, "\(arguments.joined(separator: " ")): \(output.errorText)")
                    }
                }
            }
            #expect(try Set(Self.files(shop).keys).subtracting(before) == [])
            // A state is an output, too, and nothing else may be one.
            for state in ["openmarket.yaml", "images/1.png", "keys.txt"] {
                let arguments = ["plan", "openmarket.yaml", "more", "--target-file", "keys.txt", "--state", state]
                let output = try await shop.program(arguments, environment: ["OPENMARKET_SECRET": ""]).run()
                #expect(output.status != 0, "\(state)")
            }
        }
    }

    @Test func `no output takes the name of another format`() async throws {
        try await Self.open { shop in
            let before = try Set(Self.files(shop).keys)
            for line in Self.lines where !["export", "serve"].contains(line.command) {
                for option in line.outputs {
                    for arguments in Self.arguments(option, of: line.command, to: "other.xlsx") {
                        let output = try await shop.program(
                            line.words.split(separator: " ").map(String.init) + arguments,
                            environment: ["OPENMARKET_SECRET": ""]
                        ).run()
                        #expect(output.status == 64, "\(line.command) \(arguments): \(output.errorText)")
                        #expect(output.errorText.contains("other.xlsx"), "\(output.errorText)")
                    }
                }
            }
            #expect(try Set(Self.files(shop).keys).subtracting(before) == [])
        }
    }

    /// Every file that the program opens is opened by the one function that notes it, or is named here with why.
    @Test func `files are opened in one place`() throws {
        // Outputs; the file that is kept beside one; pictures as they are sent, which reading the manifest has noted;
        // the server, which is another program; the locks and sizes of states, which the place of the state has noted.
        let known = [
            "OpenMarketFiles/InputFile.swift", "OpenMarketFiles/AtomicFile.swift",
            "OpenMarketFiles/TemporaryFile.swift", "OpenMarketFiles/LockedFile.swift",
            "OpenMarketFiles/FileSystem.swift", "OpenMarketClient/Multipart/PictureFile.swift",
        ]
        let root = ExamplesTests.root + "/Sources"
        var found: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
            guard !name.hasPrefix("OpenMarketServer/"), !name.hasSuffix("StandardStreams.swift") else { continue }
            let text = try String(contentsOf: URL(fileURLWithPath: root + "/" + name), encoding: .utf8)
            let opens =
                text.contains("FileDescriptor.open(") || text.contains("contents(atPath:")
                || text.contains("contentsOf: URL(") || text.contains(/[^a-zA-Z.]open\([a-z][^)]*O_/)
            if opens { found.insert(name) }
        }
        #expect(found == Set(known))
    }
}
