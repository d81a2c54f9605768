@testable import OpenMarketWorkflow
import Testing

/// Expects an end of a command with this exit code, and with these words in its message or its help.
func expectEnd<Result>(
    _ status: OpenMarketWorkflow.ExitStatus,
    _ words: String...,
    at place: SourceLocation = #_sourceLocation,
    of body: () throws -> Result
) {
    let failure = #expect(throws: CommandFailure.self, sourceLocation: place) { _ = try body() }
    failure?.expect(status, words, place)
}

func expectAsyncEnd<Result>(
    _ status: OpenMarketWorkflow.ExitStatus,
    _ words: String...,
    at place: SourceLocation = #_sourceLocation,
    of body: () async throws -> Result
) async {
    let failure = await #expect(throws: CommandFailure.self, sourceLocation: place) { _ = try await body() }
    failure?.expect(status, words, place)
}

extension CommandFailure {
    fileprivate func expect(_ status: OpenMarketWorkflow.ExitStatus, _ words: [String], _ place: SourceLocation) {
        #expect(self.status == status, sourceLocation: place)
        for word in words { #expect("\(self)\n\(help ?? "")".contains(word), sourceLocation: place) }
    }
}
