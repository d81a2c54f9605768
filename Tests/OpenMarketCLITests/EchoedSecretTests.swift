import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// One mask: what a market echoes of our token, in products, errors and what is no reply of its API, is in no output and no
/// file of any command.
@Suite(.timeLimit(.minutes(5)))
struct EchoedSecretTests {
    /// No six characters of it are a word.
    private static let secret = "zqx7wvk2pm9jh4tb8ncf5rgd"

    /// The token as markets and proxies write it, whole, and cut into what may not be shown.
    private static let forms: [(text: String, parts: [String])] = {
        let letters = secret.map { String($0) }
        let spelt: [[String]] = [
            letters, letters.map { $0.uppercased() },
            secret.utf8.map { "%" + String($0, radix: 16, uppercase: true) }, secret.utf8.map { "&#\($0);" },
            secret.utf8.map { "\\u00" + String($0, radix: 16) },
        ]
        let whole = Data(secret.utf8).base64EncodedString()
        let basic = Data("user:\(secret)".utf8).base64EncodedString()
        var forms: [(text: String, parts: [String])] = []
        for letters in spelt { forms.append((letters.joined(), windows(letters, 6))) }
        forms.append((whole, windows(whole.map { String($0) }, 8)))
        // Of the user alone come the first letters.
        forms.append(("Basic " + basic, windows(basic.dropFirst(8).map { String($0) }, 8)))
        return forms
    }()

    private static func windows(_ letters: [String], _ count: Int) -> [String] {
        (0...letters.count - count).map { letters[$0..<$0 + count].joined() }
    }

    // MARK: The market

    /// A shop that echoes.
    private final class Market: Sendable {
        enum Mode {
            /// Nothing is echoed.
            case quiet
            /// Names and descriptions of products have the token behind them.
            case texts
            /// The first page of the list has, and the connection breaks at the next.
            case cut
            /// Reads or writes are refused, or answered with what is no reply of the API.
            case reads, writes
        }

        let shop = BazaarShop()
        private let state = Mutex((mode: Mode.quiet, count: 0))

        /// Errors begin with the one of this number.
        func turn(_ mode: Mode, from number: Int = 0) { state.withLock { $0 = (mode, number) } }

        func answer(_ request: HTTPMarket.Request) -> HTTPMarket.Answer {
            guard request.headers["x-token"] == EchoedSecretTests.secret else { return .reply(401, nil) }
            let (mode, count) = state.withLock { state in
                defer { state.count += 1 }
                return state
            }
            let isRead = request.method == "GET"
            if mode == .reads && isRead || mode == .writes && !isRead { return Self.trouble(count) }
            if mode == .cut, request.query["page", default: "1"] != "1" { return .close }
            var known = request
            known.headers["x-token"] = BazaarShop.secret
            let answer = shop.answer(known)
            guard mode == .texts || mode == .cut, case .bytesThenClose(let bytes) = answer,
                let body = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
                let json = try? JSONValue.parse(Array(bytes[body...])),
                let status = Int(String(decoding: bytes[9..<12], as: UTF8.self))
            else { return answer }
            return .reply(status, Self.echo(json))
        }

        static let troubles = 7

        /// The token at another place each time, in case the text is cut.
        private static func words(_ number: Int) -> String {
            let blank = String(repeating: "x", count: number * 13 % 260)
            return "\(blank) \(forms[number % forms.count].text) and more"
        }

        private static func trouble(_ number: Int) -> HTTPMarket.Answer {
            let text = words(number)
            func error(_ status: Int) -> HTTPMarket.Answer { .reply(status, .object(of: ("error", .string(text)))) }
            switch number % troubles {
            case 0: return error(400)
            case 1: return .reply(403, .object(of: ("error", .array([.string(text)]))))
            case 2: return .file(Array("<html><title>\(text)</title><body>\(text)".utf8))
            case 3: return .reply(422, .string(text))
            case 4: return error(500)
            case 5: return error(404)
            default: return .file(Array(text.utf8))
            }
        }

        private static func echo(_ json: JSONValue) -> JSONValue {
            if let elements = json.elements { return .array(elements.map(echo)) }
            guard let members = json.members else { return json }
            let number = Int(json["id"]?.integer ?? 0)
            return .object(
                members.map { member in
                    switch member.name {
                    case "title": .init(member.name, .string("\(member.value.text ?? "") \(words(number))"))
                    case "text": .init(member.name, .string("\(member.value.text ?? "") \(words(number + 1))"))
                    default: .init(member.name, echo(member.value))
                    }
                }
            )
        }
    }

    // MARK: What is looked through

    /// What of the token is in some bytes, in any letter case, and however it was escaped once more.
    private struct Finder {
        private var parts: [UInt64: [[UInt8]]] = [:]

        init() {
            for part in EchoedSecretTests.forms.flatMap(\.parts) {
                let bytes = Self.bare(Array(part.utf8))
                parts[Self.beginning(bytes, 0), default: []].append(bytes)
            }
        }

        func found(in bytes: [UInt8]) -> String? {
            let bytes = Self.bare(bytes)
            guard bytes.count >= 6 else { return nil }
            for place in 0...bytes.count - 6 {
                guard let parts = parts[Self.beginning(bytes, place)] else { continue }
                let rest = bytes[place...]
                guard parts.contains(where: { rest.starts(with: $0) }) else { continue }
                return String(decoding: bytes[max(0, place - 80)..<min(bytes.count, place + 40)], as: UTF8.self)
            }
            return nil
        }

        private static func beginning(_ bytes: [UInt8], _ place: Int) -> UInt64 {
            (0..<6).reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
        }

        /// Without what JSON, HTML and Markdown put between the characters of a text.
        private static func bare(_ bytes: [UInt8]) -> [UInt8] {
            let fillers = ["\\", "amp;", "\u{200B}", "&#8203;"].map { Array($0.utf8) }
            var bare: [UInt8] = []
            bare.reserveCapacity(bytes.count)
            var place = 0
            while place < bytes.count {
                let byte = bytes[place]
                let rest = bytes[place...]
                let mayFill = byte == 0x5C || byte == 0x61 || byte == 0xE2 || byte == 0x26
                if mayFill, let filler = fillers.first(where: { rest.starts(with: $0) }) {
                    place += filler.count
                } else {
                    bare.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
                    place += 1
                }
            }
            return bare
        }
    }

    /// The folder of a seller whose market echoes.
    private struct Desk {
        let bazaar: BazaarDesk
        let finder = Finder()
        /// How often something was masked.
        var masked = 0

        func list(price: String) throws {
            let products = (1...14).map { number in
                "  - {key: p-\(number), name: Product \(number), description: It turns., price: '\(price)', stock: 3}"
            }
            try bazaar.list(products.joined(separator: "\n"))
        }

        mutating func run(_ arguments: [String]) async throws {
            let ran = try await bazaar.program(arguments).run()
            #expect(ran.status != 64 && ran.status < 128, "\(arguments)\n\(ran.errorText)")
            for output in [ran.stdout, ran.stderr] {
                #expect(finder.found(in: output) == nil, "\(arguments)")
            }
            masked += (ran.text + ran.errorText).ranges(of: "•••").count
        }

        /// Runs commands, written with blanks between their arguments.
        mutating func run(_ commands: String...) async throws {
            for command in commands { try await run(command.split(separator: " ").map(String.init)) }
        }

        /// Looks through every file that a command wrote.
        func lookThroughFiles(_ words: Comment) throws {
            for name in try FileManager.default.subpathsOfDirectory(atPath: bazaar.folder) {
                let file = URL(fileURLWithPath: "\(bazaar.folder)/\(name)")
                guard let bytes = try? Data(contentsOf: file) else { continue }
                #expect(finder.found(in: [UInt8](bytes)) == nil, "\(words): \(name)")
            }
        }
    }

    private static func open(_ body: (Market, inout Desk) async throws -> Void) async throws {
        let market = Market()
        try await BazaarDesk.open(market.shop, secret: secret, answering: { market.answer($0) }) { bazaar in
            var desk = Desk(bazaar: bazaar)
            try desk.list(price: "9.50")
            try await desk.run(apply)
            #expect(market.shop.products.count == 14)
            try await desk.run("export -o before.csv")
            try await body(market, &desk)
        }
    }

    private static let apply = "apply --yes --result result.json --accept-market sha256:\(BazaarShop.digest)"

    /// What shows the journal and the state.
    private static func showState(_ desk: inout Desk) async throws {
        try await desk.run(
            "history",
            "history --json",
            "state list",
            "state list --json",
            "state show p-1",
            "state show p-1 --json",
            "state export",
            "state export -o state.jsonl",
            "status",
            "status --json"
        )
    }

    // MARK: Every command

    @Test(arguments: ["", " -v"])
    func `a token in the texts of products is in no output`(verbose: String) async throws {
        try await Self.open { market, desk in
            market.turn(.texts)
            let writes = ["text=plan.txt", "json=plan.json", "markdown=plan.md", "html=plan.html"]
            let all = writes.map { " --write \($0)" }.joined()
            for command in [
                "plan", "plan --json", "plan --summary", "plan --refresh full", "plan -o saved.json\(all)",
                "show saved.json\(all)", "show saved.json --json", "pull --drift",
                "pull --drift --write diff=drift.patch",
                "pull --adopt -o pulled.yaml", "export", "export -o c.csv", "export -o c.tsv", "export -o c.jsonl",
                "export -o c.sqlite", "export -o c.yaml", "export --details -o d.csv", "export --since before.csv",
                "export --since before.csv -o changes.md", "export --since before.csv --json",
                "export --verify before.csv", "market probe", "market probe --json", "ping", "validate",
            ] {
                try await desk.run(command + verbose)
            }
            #expect(desk.masked > 100)
            try desk.list(price: "8.50")
            try await desk.run(
                Self.apply + verbose,
                Self.apply + " --json --verify" + verbose,
                "market probe --write --accept-market sha256:\(BazaarShop.digest)" + verbose,
                "apply --dry-run",
                "apply --dry-run --json"
            )
            try await Self.showState(&desk)
            try desk.lookThroughFiles("texts")
        }
    }

    @Test func `a token in what a read is answered with is in no output`() async throws {
        try await Self.open { market, desk in
            for number in 0..<Market.troubles {
                let before = desk.masked
                for command in [
                    "plan", "plan --json -v", "export -o x.csv", "export --since before.csv", "ping",
                    "market probe -v", "pull --adopt -o pulled.yaml", "pull --drift", Self.apply,
                ] {
                    market.turn(.reads, from: number)
                    try await desk.run(command)
                }
                #expect(desk.masked > before, "\(number)")
            }
            try await Self.showState(&desk)
            try desk.lookThroughFiles("reads")
        }
    }

    @Test func `a token in what a write is answered with is in no output`() async throws {
        try await Self.open { market, desk in
            for (number, command) in [Self.apply, Self.apply + " --json -v"].enumerated() {
                let before = desk.masked
                market.turn(.writes, from: number)
                try desk.list(price: "7.\(number)0")
                try await desk.run(command, "history", "history --json")
                // Each of the seven kinds is some product's.
                #expect(desk.masked >= before + Market.troubles, "\(command)")
            }
            try await desk.run("market probe --write --accept-market sha256:\(BazaarShop.digest)")
            try await Self.showState(&desk)
            try desk.lookThroughFiles("writes")
        }
    }

    @Test func `replies with a token are not kept for an export that was cut off`() async throws {
        try await Self.open { market, desk in
            for number in 1...110 { market.shop.add(code: "own-\(number)", title: "Fan \(number)", price: "9.00") }
            market.turn(.cut)
            try await desk.run("export -o cut.csv")
            try desk.lookThroughFiles("cut")
        }
    }
}
