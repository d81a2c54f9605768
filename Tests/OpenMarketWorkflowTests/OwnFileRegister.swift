import OpenMarketFiles
import Testing

/// Gives each test a register of files of its own, as each command has one: numbers of files are used again.
struct OwnFileRegister: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await FileRegister.$current.withValue(FileRegister()) { try await function() }
    }
}

extension Trait where Self == OwnFileRegister {
    static var ownFileRegister: Self { OwnFileRegister() }
}
