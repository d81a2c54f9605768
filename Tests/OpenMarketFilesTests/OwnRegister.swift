import OpenMarketFiles
import Testing

/// Gives each test a register of files of its own: the system gives the numbers of files again that other tests have read.
struct OwnRegister: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await FileRegister.$current.withValue(FileRegister()) { try await function() }
    }
}

extension Trait where Self == OwnRegister {
    /// A register of files of the test's own.
    static var ownRegister: Self { OwnRegister() }
}
