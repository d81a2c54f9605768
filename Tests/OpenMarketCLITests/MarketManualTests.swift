import Foundation
@testable import OpenMarketTestSupport
import Testing

/// The tutorial "Describe an API in twenty minutes", from `curl` to `apply`, as it is written there.
@Suite(.enabled(if: Python.isAvailable && Program.installed("curl") != nil), .timeLimit(.minutes(1)))
struct MarketManualTests {
    /// What the reader does, in the order of the tutorial.
    private enum Step {
        /// Writes a file down.
        case file(String, text: String)
        /// Replaces what follows from a file's section of the same name, or adds it.
        case section(of: String, text: String)
        /// Types a command; the tutorial shows this of its output.
        case command(String, output: String)
    }

    private static func steps(in text: String) -> [Step] {
        var steps: [Step] = []
        for block in text.matches(of: /\n```(console|yaml)\n((?s:.*?))```\n/) {
            let content = String(block.2)
            guard block.1 == "console" else {
                steps.append(
                    content.hasPrefix("market: 1\n")
                        ? .file("small.market.yaml", text: content)
                        : content.hasPrefix("market:\n")
                            ? .file("openmarket.yaml", text: content)
                            : .section(of: "small.market.yaml", text: content)
                )
                continue
            }
            for line in content.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("$ ") {
                    steps.append(.command(String(line.dropFirst(2)), output: ""))
                } else if case .command(let command, let output)? = steps.last {
                    steps[steps.count - 1] = .command(command, output: output + line + "\n")
                }
            }
        }
        return steps
    }

    /// The text with its section of that name, and what follows it, replaced.
    private static func exchanging(_ section: String, in text: String) -> String {
        let name = section.prefix { $0 != ":" } + ":"
        return (text.firstRange(of: "\n" + name).map { String(text[..<$0.lowerBound]) + "\n" } ?? text) + section
    }

    /// What an output says, without what differs from run to run and from line to line.
    private static func gist(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("Server:") && !$0.hasPrefix("Date:") }
            .joined().filter { !$0.isWhitespace }
    }

    /// Types a command, and looks for what the tutorial shows of its output, in order; `…` stands for what it leaves out.
    private static func type(_ line: String, showing shown: String, in folder: String) async throws {
        let run = try await Program(
            "/bin/sh",
            ["-c", "openmarket() { '\(Openmarket.path)' \"$@\"; }\n\(line) 2>&1\n"],
            environment: ["OPENMARKET_SECRET": "s3cret"],
            folder: folder
        ).run()
        #expect(run.status == (shown.contains(": error: ") ? 4 : 0), "\(line)\n\(run.text)")
        var rest = gist(run.text)[...]
        for (number, part) in shown.components(separatedBy: "…").map(gist).enumerated() where !part.isEmpty {
            let place = rest.firstRange(of: part)
            #expect(number > 0 ? place != nil : place?.lowerBound == rest.startIndex, "\(line)\n\(part)\n\(run.text)")
            if let place { rest = rest[place.upperBound...] }
        }
        if !shown.contains("…") { #expect(rest.isEmpty, "\(line)\n\(rest)") }
    }

    @Test func `the tutorial goes as it is written`() async throws {
        let folder = try TemporaryDirectory()
        let text = try Recipes.text("docs/tutorials/describe-an-api.md")
        let path = folder.path
        let shop = ExamplesTests.root + "/examples/markets/small-shop.py"
        _ = try await Program(try #require(Python.path), [shop, "0"], folder: path).run { server in
            let port = try #require(
                try await server.line(containing: "listening on").split(separator: ":").last.map(String.init)
            )
            var commands = 0
            for step in Self.steps(in: text.replacing("127.0.0.1:8090", with: "127.0.0.1:\(port)")) {
                switch step {
                case .file(let name, let text): try folder.write(name, text)
                case .section(let name, let text):
                    try folder.write(
                        name,
                        Self.exchanging(text, in: String(decoding: folder.read(name), as: UTF8.self))
                    )
                case .command(let line, let shown):
                    commands += 1
                    try await Self.type(line, showing: shown, in: path)
                }
            }
            #expect(commands == 15)
            server.send(.terminate)
        }
        let catalog = String(decoding: try folder.read("before.csv"), as: UTF8.self)
        let lines = catalog.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.dropFirst(2).first?.hasPrefix("4,,Cup,A cup.,12.5,USD,,,0,") == true, "\(catalog)")
        #expect(
            String(decoding: try folder.read("before.csv.certificate.json"), as: UTF8.self).contains(#""ranks""#)
        )
        #expect(String(decoding: try folder.read("catalog.csv"), as: UTF8.self).contains("\r\n8,kettle,Kettle,"))
    }
}
