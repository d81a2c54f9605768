@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A saved plan is known by its content, and a manifest is what is not one.
struct ApplyInputTests {
    private static let plan = #"{"format_version": 1}"#

    private static func file(_ input: ApplyInput) -> String? {
        if case .plan(let bytes, let file) = input, bytes == Array(plan.utf8) { file } else { nil }
    }

    @Test func `one file that begins like a plan is one, whatever it is called`() throws {
        let folder = try TemporaryDirectory()
        for name in ["plan.json", "plan", "openmarket.yaml"] {
            let path = try folder.write(name, Self.plan)
            #expect(try Self.file(ApplyInput([path])) == path)
            #expect(try Self.file(ApplyInput([path, path])) == nil)
        }
    }

    @Test func `what is not a plan, or is not there, is read as a manifest`() throws {
        let folder = try TemporaryDirectory()
        let manifest = try folder.write("openmarket.yaml", "products: []\n")
        for paths in [[], [manifest], [folder.path], [folder.path + "/missing.yaml"]] {
            guard case .manifests(standardInput: nil) = try ApplyInput(paths) else {
                Issue.record("\(paths)")
                continue
            }
        }
    }

    @Test func `a plan that is not there is missed, and one of a similar name is named`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/plan.json"
        let missing = #expect(throws: CommandFailure.self) { try ApplyInput([path]) }
        #expect(missing?.help == "save a plan there first: openmarket plan -o \(path)")
        try folder.write("plam.json", Self.plan)
        let near = #expect(throws: CommandFailure.self) { try ApplyInput([path]) }
        #expect(near?.help == "did you mean 'plam.json'?")
    }
}
