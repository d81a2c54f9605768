@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketCLI

/// Faults as code hosts read them.
struct SARIFTests {
    @Test func `each fault is at its line under its code`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            "shop é/m.yaml",
            "products:\n- {key: a, id: 1, price: 12000원}\n- {key: a, id: 2, name: Lamp #5\n  }\n"
        )
        let program = Program(
            Openmarket.path,
            ["validate", "./shop é/m.yaml", "--write", "sarif=faults.sarif", "--write", "json=faults.json"],
            folder: folder.path
        )
        let output = try await program.run()
        #expect(output.status == 4)
        let report = try JSONValue.parse(try folder.read("faults.sarif"))
        let expected = """
            {
              "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
              "version": "2.1.0",
              "runs": [{
                "tool": {"driver": {
                  "name": "openmarket",
                  "semanticVersion": "\(toolVersion)",
                  "rules": [
                    {"id": "comment-in-text", "shortDescription": {"text": "A comment begins inside a line that is probably text."}},
                    {"id": "number", "shortDescription": {"text": "A number cannot be read."}},
                    {"id": "repeated-key", "shortDescription": {"text": "Two products have the same key."}}
                  ]
                }},
                "columnKind": "unicodeCodePoints",
                "results": [
                  {
                    "ruleId": "number", "ruleIndex": 1, "level": "error",
                    "message": {"text": "'12000원' is not a plain number\\nwrite 12000, and KRW in 'currency'"},
                    "locations": [{
                      "physicalLocation": {
                        "artifactLocation": {"uri": "shop%20%C3%A9/m.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 2, "startColumn": 26, "endColumn": 32}
                      },
                      "logicalLocations": [{"fullyQualifiedName": "products[0].price"}]
                    }]
                  },
                  {
                    "ruleId": "repeated-key", "ruleIndex": 2, "level": "error",
                    "message": {"text": "the key 'a' is used by another product"},
                    "locations": [{
                      "physicalLocation": {
                        "artifactLocation": {"uri": "shop%20%C3%A9/m.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 9, "endColumn": 10}
                      },
                      "logicalLocations": [{"fullyQualifiedName": "products[1].key"}]
                    }],
                    "relatedLocations": [{
                      "id": 0,
                      "message": {"text": "it was used first here"},
                      "physicalLocation": {
                        "artifactLocation": {"uri": "shop%20%C3%A9/m.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 2, "startColumn": 3}
                      }
                    }]
                  },
                  {
                    "ruleId": "comment-in-text", "ruleIndex": 0, "level": "warning",
                    "message": {"text": "a comment begins here, and the name ends before it: 'Lamp'\\nput the text in quotes if the '#' belongs to it; a comment follows two blanks and begins with '# '"},
                    "locations": [{
                      "physicalLocation": {
                        "artifactLocation": {"uri": "shop%20%C3%A9/m.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 30, "endColumn": 31}
                      },
                      "logicalLocations": [{"fullyQualifiedName": "products[1].name"}]
                    }]
                  }
                ]
              }]
            }
            """
        #expect(report == (try JSONValue.parse(Array(expected.utf8))))
        let json = try await Program(Openmarket.path, ["validate", "--json", "shop é/m.yaml"], folder: folder.path)
            .run()
        #expect(String(decoding: try folder.read("faults.json"), as: UTF8.self).contains("\"code\": \"number\""))
        #expect(json.text.contains("\"code\": \"number\""))
    }

    @Test func `a manifest without faults has no results, and one that is not there is a result all the same`() {
        let empty = SARIFReport.document([], manifest: "m.yaml", folder: "/shop", version: toolVersion)
        #expect(
            String(decoding: empty.bytes(), as: UTF8.self).hasSuffix(
                #""rules":[]}},"columnKind":"unicodeCodePoints","results":[]}]}"#
            )
        )
        let missing = SARIFReport.document(
            [Diagnostic(.error, .unreadableFile, "m.yaml does not exist")],
            manifest: "/shop/m.yaml",
            folder: "/shop",
            version: toolVersion
        )
        let text = String(decoding: missing.bytes(), as: UTF8.self)
        #expect(
            text.contains(
                #""locations":[{"physicalLocation":{"artifactLocation":{"uri":"m.yaml","uriBaseId":"%SRCROOT%"},"region":{"startLine":1}}}]"#
            )
        )
        let outside = SARIFReport.document(
            [Diagnostic(.error, .number, "x")],
            manifest: "/a b/m.yaml",
            folder: "/a",
            version: toolVersion
        )
        #expect(String(decoding: outside.bytes(), as: UTF8.self).contains(#"{"uri":"file:///a%20b/m.yaml"}"#))
    }
}
