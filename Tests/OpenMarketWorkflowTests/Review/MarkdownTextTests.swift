@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

/// What code hosts make links, mentions, pictures and formulas of, in the text that Markdown leaves.
struct HostReference: CustomTestStringConvertible, Sendable {
    var name: String
    /// What the hosts' documentation and sources look for.
    var pattern: String
    var samples: [String]

    var testDescription: String { name }

    init(_ name: String, _ pattern: String, _ samples: String...) {
        self.name = name
        self.pattern = pattern
        self.samples = samples
    }

    /// Of GitHub and of GitLab.
    static var all: [HostReference] {
        [
            HostReference("person", #"@[a-z0-9]"#, "@everyone", "@org/team", "a @name b", "@all"),
            HostReference("issue", #"#\d"#, "#1", "owner/repo#12", "see #3."),
            HostReference("formula", #"\$[^$]*\$"#, "$x^2$", "$$x$$", "costs $5 or $6", "$`x`$"),
            HostReference("snippet", #"\$\d"#, "$1"),
            HostReference("merge request", #"!\d"#, "!1", "group/project!12"),
            HostReference("milestone", #"%["a-z0-9]"#, "%1", "%\"next one\"", "%v1.0"),
            HostReference("label", #"~["a-z0-9]"#, "~bug", "~\"to do\"", "~1"),
            HostReference("epic", #"&\d"#, "&1", "group&12"),
            HostReference("iteration", #"\*[a-z]"#, "*iteration:12"),
            HostReference(
                "kind and number",
                #"\[[a-z_]+:"#,
                "[vulnerability:1]",
                "[work_item:2]",
                "[contact:a@b.example]"
            ),
            HostReference("emoji", #":[a-z0-9_+-]+:"#, ":smile:", ":+1:", ":100:", "10:30:45"),
            HostReference("words in and out", #"\{\+|\[[-+]"#, "{+new+}", "[-old-]", "[+new+]"),
            HostReference("address", #"[a-z]://"#, "https://evil.example/", "ftp://evil.example", "irc://x"),
            HostReference("address without a scheme", #"www\."#, "www.evil.example", "WWW.evil.example", "(www.a.b)"),
            HostReference("mail", #"[a-z0-9]@[a-z0-9]"#, "someone@evil.example", "mailto:someone@evil.example"),
        ]
    }
}

/// What names and texts say is there as text, in Markdown and for what code hosts do after it.
struct MarkdownTextTests {
    @Test(arguments: HostReference.all)
    func `no host makes anything of a text`(reference: HostReference) throws {
        let pattern = try Regex(reference.pattern).ignoresCase()
        for sample in reference.samples {
            // The sample is one: a pattern that finds nothing would test nothing.
            #expect(sample.firstMatch(of: pattern) != nil, "\(sample)")
            for text in [sample, "a \(sample) b", "(\(sample))", "차 \(sample)"] {
                for place in try Self.places(of: text) {
                    for piece in place { #expect(piece.firstMatch(of: pattern) == nil, "\(piece)") }
                    // A person reads the same.
                    #expect(place.joined().replacing("\u{200B}", with: "").contains(text))
                }
            }
        }
    }

    /// Every place of a page that holds the text, each as a browser has it: the pieces between the elements.
    private static func places(of text: String) throws -> [[String]] {
        let page = PlanMarkdownRenderer().render(ReviewedPlan.of(text))
        return page.split(separator: "\n").filter { !$0.contains("sha256:") }.map { line in
            // Nothing is looked for in code and in the target of a link.
            (line.hasPrefix("**") ? line.dropFirst(2) : line).replacing(/`[^`]*`/, with: "").replacing(
                /\]\(<[^>]*>\)/,
                with: "]"
            )
            .split(separator: /<\/?(?:span|ins|del|br|details|summary)>/).map { Self.shown($0) }
        }
        .filter { pieces in pieces.joined().replacing("\u{200B}", with: "").contains(text) }
    }

    /// Markdown's escapes and references as what they stand for.
    private static func shown(_ source: Substring) -> String {
        var text = ""
        var rest = source
        while let sign = rest.first {
            if sign == "\\", let next = rest.dropFirst().first, next.isASCII, next.isPunctuation || next.isSymbol {
                text.append(next)
                rest = rest.dropFirst(2)
            } else if let (reference, value) = references.first(where: { rest.hasPrefix($0.0) }) {
                text += value
                rest = rest.dropFirst(reference.count)
            } else {
                text.append(sign)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static let references = [("&#8203;", "\u{200B}"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
}
