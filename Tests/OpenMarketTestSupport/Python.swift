import FoundationEssentials
@testable import OpenMarket

/// An independent reader of what the tool writes, where it is installed.
enum Python {
    static let path = Program.installed("python3")

    static var isAvailable: Bool { path != nil }

    /// Whether it has these modules.
    static func has(_ modules: String...) async throws -> Bool {
        guard let path else { return false }
        let script = "import " + modules.joined(separator: ", ")
        return try await Program(path, ["-c", script], folder: FileManager.default.temporaryDirectory.path).run().status
            == 0
    }

    /// What a script prints as JSON.
    static func json(_ script: String, _ arguments: String..., folder: String) async throws -> JSONValue {
        try await json(script, arguments, folder: folder)
    }

    /// What a script prints as JSON.
    static func json(_ script: String, _ arguments: [String], folder: String) async throws -> JSONValue {
        let output = try await Program(path ?? "python3", ["-c", script] + arguments, folder: folder).run()
        guard output.status == 0 else { throw Failure(description: output.errorText) }
        return try JSONValue.parse(output.stdout)
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}
