import FoundationEssentials
import Subprocess
import SystemPackage

/// A program with what it is started with.
///
/// Its environment holds what is said here and nothing of the caller's but where programs, home and libraries are, so
/// that a variable of the person who runs the tests changes none.
struct Program: Sendable {
    var path: String
    var arguments: [String]
    var environment: [String: String]
    /// Where it runs.
    var folder: String
    /// The file that is its standard input.
    var input: String

    init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        folder: String,
        input: String = "/dev/null"
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.input = input
    }

    /// What a program that has ended leaves.
    struct Output: Sendable {
        /// The exit code; 128 and the signal's number when a signal ended it, as shells say it.
        var status: Int32
        var stdout: [UInt8]
        var stderr: [UInt8]

        var text: String { String(decoding: stdout, as: UTF8.self) }
        var errorText: String { String(decoding: stderr, as: UTF8.self) }
    }

    /// Runs it to its end.
    func run() async throws -> Output {
        try await run { _ in }.output
    }

    /// Runs it beside the body, and then to its end; a body that throws kills it.
    func run<Result: Sendable>(
        _ body: (RunningProcess) async throws -> Result
    ) async throws -> (value: Result, output: Output) {
        let transcript = Transcript()
        let configuration = Configuration(
            executable: .path(FilePath(path)),
            arguments: Arguments(arguments),
            environment: .custom(inherited.merging(environment) { $1 }),
            workingDirectory: FilePath(folder)
        )
        let ended = try await Subprocess.run(
            configuration,
            input: .fileDescriptor(try FileDescriptor.open(input, .readOnly), closeAfterSpawningProcess: true),
            output: .sequence,
            error: .sequence
        ) { execution in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await transcript.read(execution.standardOutput, as: .stdout)
                }
                group.addTask {
                    try await transcript.read(execution.standardError, as: .stderr)
                }
                let process = RunningProcess(id: execution.processIdentifier.value, transcript: transcript)
                do {
                    let value = try await body(process)
                    try await group.waitForAll()
                    return value
                } catch {
                    process.send(.kill)
                    throw error
                }
            }
        }
        let status: Int32 =
            switch ended.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        let output = Output(status: status, stdout: transcript.bytes(.stdout), stderr: transcript.bytes(.stderr))
        return (ended.closureResult, output)
    }

    private var inherited: [Environment.Key: String] {
        let names = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"]
        let environment = ProcessInfo.processInfo.environment
        return Dictionary(
            names.compactMap { name in environment[name].map { (Environment.Key(stringLiteral: name), $0) } }
        ) {
            $1
        }
    }
}

extension [Environment.Key: String] {
    fileprivate func merging(_ other: [String: String], _ choose: (String, String) -> String) -> Self {
        merging(other.map { (Environment.Key(stringLiteral: $0), $1) }, uniquingKeysWith: choose)
    }
}
