@testable import OpenMarket
import Testing
@testable import YAML

struct YAMLNodeTests {
    @Test func `every style gives its text, its style and its tag`() {
        #expect(
            parsed(
                "- plain\n- 'single'\n- \"double\\n\"\n- |\n  literal\n- >\n  folded\n- !env NAME\n- !!str 7\n- ~\n-\n"
            )
                == #"["plain"@1:3, "single"/singleQuoted@2:3, "double\n"/doubleQuoted@3:3, "literal\n"/literal@4:3, "#
                + #""folded\n"/folded@6:3, <!env>"NAME"@8:3, <tag:yaml.org,2002:str>"7"@9:3, "~"@10:3, ""@11:2]"#
        )
    }

    @Test func `an empty text has no document`() {
        #expect(parsed("") == "nothing")
        #expect(parsed("# only a comment\n") == "nothing")
    }

    @Test func `null is bare nothing, tilde or null, and nothing else`() throws {
        func isNull(_ text: String) throws -> Bool? { try YAMLNode.parse(Array("a: \(text)".utf8))?["a"]?.isNull }
        for text in ["", "~", "null", "Null", "NULL", "!!null x"] { #expect(try isNull(text) == true) }
        for text in ["''", "'null'", "\"~\"", "nULL", "none", "[]", "!!str null", "!env null"] {
            #expect(try isNull(text) == false)
        }
    }

    @Test func `an alias shares what its anchor names, places included`() {
        #expect(parsed("a: &x {b: [1]}\nc: *x\n") == #"{a: {b: ["1"@1:12]}, c: {b: ["1"@1:12]}}"#)
        #expect(parsed("a: &x 1\nb: &x 2\nc: *x\n") == #"{a: "1"@1:4, b: "2"@2:4, c: "2"@2:4}"#)
        #expect(parsed("&k key: *k\n") == #"{key: "key"@1:1}"#)
    }

    @Test func `merged entries give way to written ones, later mappings to earlier ones`() {
        #expect(
            parsed("x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz:\n  <<: [*x, *y]\n  a: 5\n")
                == #"{x: {a: "1"@1:11, b: "2"@1:17}, y: {b: "3"@2:11, c: "4"@2:17}, "#
                + #"z: {a: "5"@5:6, b: "2"@1:17, c: "4"@2:17}}"#
        )
        #expect(parsed("z:\n  a: 5\n  <<: {a: 1, b: 2}\n") == #"{z: {a: "5"@2:6, b: "2"@3:17}}"#)
        #expect(parsed("'<<': 1\n") == ##"{<<: "1"@1:7}"##)
        #expect(
            parsed("- <<: 1\n")
                == "error: 1:7: '<<' merges a mapping or a list of mappings, and this is neither; write '<<: *anchor'"
        )
    }

    @Test(arguments: [2, 23, 24, 25, 60])
    func `a key that appears twice is found among any number of keys`(count: Int) {
        var text = ""
        for index in 0..<count { text += "k\(index): v\n" }
        text += "k1: again\n"
        #expect(
            parsed("- " + text.split(separator: "\n").joined(separator: "\n  "))
                == "error: \(count + 1):3: the key 'k1' appears twice in this mapping (it was given first here at 2:3)"
        )
    }

    @Test(arguments: [
        ("a:\n\tb: 1\n", "2:1: tabs cannot indent YAML; use spaces"),
        ("a:\n  b: 1\n\tc: 2\n", "3:1: tabs cannot indent YAML; use spaces"),
        ("a: |\n\tx\n", "2:1: tabs cannot indent YAML; use spaces"),
        ("a: @x\n", "1:4: '@' cannot start a value; put the value in quotes"),
        (
            "a: x: y\n",
            "1:5: a ':' is not allowed here; put a text that contains ': ' in quotes; if a key was meant, check its indentation"
        ),
        ("a: - b\n", "1:4: a list cannot start here; begin it on its own line"),
        ("a: [1, 2\nb: 3\n", "1:4: this '[' is not closed, or a ',' is missing after an item (noticed here at 2:2)"),
        ("a: {b: 1\nc: 2\n", "1:4: this '{' is not closed, or a ',' is missing after an entry (noticed here at 2:2)"),
        ("a: \"x\nb: 3\n", "1:4: this quote is never closed (noticed here at 3:1)"),
        (
            "a: 'it's'\n",
            "1:8: a key was expected here (the mapping began here at 1:1); check the indentation; inside single quotes a ' is written ''"
        ),
        ("- a\nb: 1\n", "2:1: a '-' was expected here (the list began here at 1:1); check the indentation"),
        ("  a: 1\n b: 2\n", "2:2: this does not belong to the lines above; check the indentation"),
        ("a: \"\\q\"\n", "1:5: unknown escape after '\\'; write '\\\\' for a backslash, or use single quotes"),
        (
            "a: &x 1\nb: *y\n",
            "2:4: no anchor &y is above this alias; the anchors are &x; put a text that begins with '*' in quotes"
        ),
        ("a: *new\n", "1:4: no anchor &new is above this alias; put a text that begins with '*' in quotes"),
        (
            "a: *new* lamp\n",
            "1:4: '*' at the beginning of a value refers to an anchor, and this names none; put a text that begins with '*' in quotes"
        ),
        (
            "a: & lamp\n",
            "1:4: '&' at the beginning of a value gives it an anchor, and this names none; put a text that begins with '&' in quotes"
        ),
        (
            "a: \"x \\ud83d\\ude0a y\"\n",
            "1:9: this escape is not a character; write the character itself, or the one escape that YAML has for it, such as '\\U0001F60A'"
        ),
        ("a: &x [*x]\n", "1:8: the alias *x is inside the value that it names"),
        ("a: 1\n---\nb: 2\n", "2:1: a second document starts here; one file holds one document"),
        ("? [a]\n: b\n", "1:3: a key must be a short text"),
        (
            "a: \u{1}\n",
            "the character U+0001 is not allowed in YAML; remove it, or write it as an escape in double quotes"
        ),
    ])
    func `what is not YAML gets a message that helps`(text: String, expected: String) {
        #expect(parsed(text) == "error: " + expected)
    }

    @Test func `bytes that are not UTF-8 are named by their offset`() {
        let error = #expect(throws: YAMLError.self) { try YAMLNode.parse(Array("a: ".utf8) + [0xB0, 0xA1]) }
        #expect(error?.message == "this is not UTF-8 text")
        #expect(error?.byteOffset == 3)
    }
}
