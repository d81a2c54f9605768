@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

import struct FoundationEssentials.Data

/// Rule 8: a secret is masked in every spelling.
struct SecretMaskTests {
    /// Ways of quoting a text that markets and proxies have.
    enum Spelling: CaseIterable {
        case plain, json, jsonInJSON, unicodeEscapes, escapedSlashes, percent, percentInJSON, form, entities,
            entitiesOfJSON, swift, upperCase

        func quote(_ text: String) -> String {
            switch self {
            case .plain: text
            case .json: Self.json(text)
            case .jsonInJSON: Self.json(Self.json(text))
            case .unicodeEscapes:
                text.utf16.map { unit in
                    let digits = String(unit, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
                .joined()
            case .escapedSlashes: Self.json(text).replacing("/", with: #"\/"#)
            case .percent: Self.percent(text, blank: "%20")
            case .percentInJSON: Self.percent(Self.json(text), blank: "%20")
            case .form: Self.percent(text, blank: "+")
            case .entities: Self.entities(text)
            case .entitiesOfJSON: Self.entities(Self.json(text))
            case .swift:
                text.unicodeScalars.map { $0.value < 0x20 ? "\\u{\(String($0.value, radix: 16))}" : String($0) }
                    .joined()
            case .upperCase: text.map { $0.isASCII ? $0.uppercased() : String($0) }.joined()
            }
        }

        private static func json(_ text: String) -> String {
            String(decoding: JSONValue.string(text).bytes().dropFirst().dropLast(), as: UTF8.self)
        }

        private static func percent(_ text: String, blank: String) -> String {
            text.utf8
                .map { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(Unicode.Scalar(byte))
                    case 0x20: blank
                    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                    }
                }
                .joined()
        }

        private static func entities(_ text: String) -> String {
            text.unicodeScalars
                .map { scalar in
                    switch scalar {
                    case "&": "&amp;"
                    case "\"": "&quot;"
                    case "<": "&lt;"
                    case "'": "&#39;"
                    case _ where !scalar.isASCII: "&#x\(String(scalar.value, radix: 16));"
                    default: String(scalar)
                    }
                }
                .joined()
        }
    }

    private static func secret(_ random: inout SeededGenerator) -> String {
        let alphabet = Array(#"ab"\/'&<%+u0;{ 한é🔑"#.unicodeScalars) + ["\n", "\t", "\u{1}", "\u{7F}"]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 4...16, using: &random) {
            if let scalar = alphabet.randomElement(using: &random) { text.append(scalar) }
        }
        return String(text)
    }

    /// Random secrets of quotes, backslashes, control characters and letters of other scripts, each quoted in every way
    /// between marks that no secret holds.
    @Test func `a secret is masked in every spelling`() {
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let secret = Self.secret(&random)
            let mask = SecretMask([Secret(secret), Secret("another-of-them")], from: 3)
            for spelling in Spelling.allCases {
                let said = "[\(spelling.quote(secret))] is wrong"
                #expect(mask.masked(said) == "[•••] is wrong", "seed \(seed), \(spelling): \(said)")
            }
        }
    }

    @Test(arguments: [#"s3cr"et"#, #"s"cret12"#])
    func `a text that was cut shows no beginning of a secret`(secret: String) {
        let mask = SecretMask([Secret(secret)], from: 3)
        for length in 1...7 {
            let said = "no: " + String(secret.replacing("\"", with: "\\\"").prefix(length))
            #expect(mask.masked(said, isCut: true) == "no: •••")
            #expect(mask.masked(said) == said)
        }
    }

    @Test(arguments: [
        ("the password is 'hush hush'", "the password is '•••'"), ("hush hush hush hush", "••• •••"),
        ("HUSH HUSH", "•••"), ("hush%20hush+1", "•••+1"), ("hush", "hush"), ("", ""),
        (#"C:\hush hush\new"#, #"C:\•••\new"#), ("100 % & \\", "100 % & \\"),
    ])
    func `other words stay`(text: String, expected: String) {
        #expect(SecretMask([Secret("hush hush"), Secret("1")], from: 3).masked(text) == expected)
    }

    @Test(arguments: [
        ("no file a?password=hunter2&b=1", "no file a?password=•••&b=1"), ("sslPassword='a b' c", "sslPassword=•••' c"),
        ("a?pass%77ord=hunter2", "a?pass%77ord=•••"),
        ("%70%61%73%73%77%6F%72%64=hunter2", "%70%61%73%73%77%6F%72%64=•••"),
        ("a?pass%77or=b", "a?pass%77or=b"), ("=", "="), ("password=", "password="),
    ])
    func `a password of a URL is masked however its name is written`(text: String, expected: String) {
        #expect(text.withoutURLCredentials == expected)
    }

    @Test func `blanks around a secret may be missing where it is quoted`() {
        #expect(SecretMask([Secret("  key of mine ")]).masked("'key of mine' is wrong") == "'•••' is wrong")
    }

    /// Every form of two credentials that is more than a spelling of their characters, or a part of one.
    @Test(arguments: [
        // A UUID.
        ("0F8FAD5B-D9CB-469F-A165-70867728950E", "•••"), ("0f8fad5bd9cb469fa16570867728950e", "•••"),
        ("id=0F8FAD5BD9CB469FA16570867728950E&", "id=•••&"), ("0f8fad5b%2Dd9cb-469f%2da165%2D70867728950e", "•••"),
        // A part of it in another spelling.
        ("p%34ss%2Fw0rd%2bx", "•••"), ("p4ss%252Fw0rd%252Bx", "•••"), ("p4ss&sol;w0rd&#043;x", "•••"),
        (#"\u0070\u0034ss\/w0rd\u002Bx"#, "•••"), ("p4ss&#x2F;w0rd&plus;x", "•••"), ("P4SS/W0RD+X", "•••"),
        // What an ellipsis ends.
        ("'p4ss/w0rd+…'", "'•••…'"), ("'p4ss/w…'", "'•••…'"), ("'p4ss/…'", "'p4ss/…'"),
        // Words that only begin like one.
        ("p4ss/w0rd", "p4ss/w0rd"), ("0f8fad5b-d9cb-469f-a165-70867728950", "0f8fad5b-d9cb-469f-a165-70867728950"),
    ])
    func `a secret is masked in every form`(text: String, expected: String) {
        let mask = SecretMask(["0f8fad5b-d9cb-469f-a165-70867728950e", "p4ss/w0rd+x"].map { Secret($0) })
        #expect(mask.masked(text) == expected)
        #expect(mask.isHeld(by: text) == (text != expected && !text.contains("…")))
    }

    /// A secret after any number of bytes and before any, as Basic has it after a user.
    @Test func `a secret is masked in Base64, alone and inside a longer text`() {
        let mask = SecretMask([Secret("p4ss/w0rd?>>")])
        for before in 0..<7 {
            for after in 0..<4 {
                let text = String("user:ab".prefix(before)) + "p4ss/w0rd?>>" + String("&xyz".prefix(after))
                let standard = Data(text.utf8).base64EncodedString()
                let safe = standard.replacing("+", with: "-").replacing("/", with: "_")
                for encoded in [standard, safe, safe.filter { $0 != "=" }, standard.replacing("/", with: #"\/"#)] {
                    #expect(mask.masked("Basic \(encoded).") == "Basic •••.", "\(encoded)")
                }
            }
        }
    }

    @Test func `a short secret is masked where it is the whole text`() {
        let mask = SecretMask([Secret("k9!a"), Secret("a-longer-secret")])
        #expect(mask.masked(" K9!A ") == "•••" && mask.masked("ak9!a") == "ak9!a" && mask.masked("k9%21a") == "•••")
        #expect(mask.isOne("k9!a") && mask.isOne(" a-longer-secret") && !mask.isOne("a-longer-secret."))
        let json = #"{"k9!a": "k9!a", "a": ["xk9!a", "k9!\u0061", "an a-longer-secret\n", "\\"]}"#
        let masked = #"{"k9!a": "•••", "a": ["xk9!a", "•••", "an •••\n", "\\"]}"#
        #expect(String(decoding: mask.masked(json: Array(json.utf8)), as: UTF8.self) == masked)
    }
}
