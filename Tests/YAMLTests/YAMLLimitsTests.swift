import Testing
@testable import YAML

struct YAMLLimitsTests {
    @Test func `an alias bomb meets the limit`() {
        var text = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
            text += "l\(level): &l\(level) [\(aliases)]\n"
        }
        #expect(parsed(text) == "error: 8:10: with the alias *l6 the aliases expand to more than 10000000 values")
    }

    @Test func `merged aliases count too`() {
        let text = "a: &a {b: 1, c: 2}\nd:\n  <<: *a\ne:\n  <<: *a\n"
        #expect(parsed(text, limits: YAMLLimits(aliasExpansion: 6)).hasPrefix("{a:"))
        #expect(
            parsed(text, limits: YAMLLimits(aliasExpansion: 5))
                == "error: 5:7: with the alias *a the aliases expand to more than 5 values"
        )
    }

    @Test func `deep nesting meets the limit`() {
        #expect(
            parsed(String(repeating: "[", count: 1_000_000))
                == "error: 1:65: lists and mappings nest more than 64 deep here"
        )
        #expect(parsed(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).hasPrefix("[[[["))
        #expect(
            parsed(String(repeating: "{a: ", count: 65))
                == "error: 1:257: lists and mappings nest more than 64 deep here"
        )
    }

    @Test func `a long value meets the limit and is not shown`() {
        let long = String(repeating: "x", count: (1 << 20) + 1)
        #expect(
            parsed("a: \(long)\n")
                == "error: 1:4: this value has 1048577 bytes, and 1048576 is the most a value may have"
        )
        #expect(parsed("a: \(long.dropLast())\n").hasPrefix("{a: "))
    }

    @Test func `a line of 6 MB is given up on before it is read whole`() {
        #expect(
            parsed("a: 'b'\nc: " + String(repeating: "x", count: 6_000_000))
                == "error: 2:2: a single value or comment here has more than 5 MiB"
        )
    }

    @Test func `a value that never ends is given up on`() {
        var chunks = 0
        var reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
            chunks += 1
            return Array(repeating: UInt8(ascii: "x"), count: 1 << 16)
        }
        #expect(throws: YAMLError.self) { while try reader.next() != .streamEnd {} }
        #expect(chunks < 100)
    }

    @Test func `no mutation of a text crashes the reader`() async {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        let sample = Array(
            "# c\na: &x {b: [1, 'two', \"th\\u0072ee\"], <<: {q: 1}}\nd: |\n  text\ne: !env X\n? k\n: - *x\n  - >-\n   f\n"
                .utf8
        )
        let spice = Array("[]{}&*!|>'\"%@`:,-?#\t\n\r \\<~\u{85}\u{2028}\u{FEFF}0".utf8)
        for round in 0..<3000 {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var bytes = sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = spice[Int.random(in: 0..<spice.count, using: &random)]
                case 1: bytes.insert(spice[Int.random(in: 0..<spice.count, using: &random)], at: place)
                case 2: if bytes.count > 1 { bytes.remove(at: place) }
                default: bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do throws(YAMLError) {
                _ = try YAMLNode.parse(bytes)?.dump
            } catch {
                #expect(!error.message.isEmpty, "seed \(seed), round \(round)")
            }
        }
    }
}

/// Random numbers that come out the same for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
