import Subprocess
import Synchronization

/// What a running program says, kept from its start, so that no reader comes too late for a line.
final class Transcript: Sendable {
    enum Stream: Sendable {
        case stdout
        case stderr
    }

    private struct Said {
        var bytes: [UInt8] = []
        var isOver = false
        var waiting: [(text: String, continuation: CheckedContinuation<String?, Never>)] = []

        /// The first whole line that contains the text; what is at the end counts as one when nothing follows.
        func line(containing text: String) -> String? {
            var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            if !isOver { lines.removeLast() }
            return lines.lazy.map { String(decoding: $0, as: UTF8.self) }.first { $0.contains(text) }
        }
    }

    private let stdout = Mutex(Said())
    private let stderr = Mutex(Said())

    func bytes(_ stream: Stream) -> [UInt8] {
        withSaid(stream) { $0.bytes }
    }

    func read(_ output: SubprocessOutputSequence, as stream: Stream) async throws {
        // Whoever waits is resumed, also when reading fails.
        defer { take(nil, from: stream) }
        for try await buffer in output {
            take(buffer.withUnsafeBytes { Array($0) }, from: stream)
        }
    }

    func line(containing text: String, on stream: Stream) async throws -> String {
        let found = await withCheckedContinuation { continuation in
            let known: String?? = withSaid(stream) { said in
                if let line = said.line(containing: text) { return line }
                if said.isOver { return .some(nil) }
                said.waiting.append((text, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        guard let found else {
            let said = String(decoding: bytes(.stdout) + bytes(.stderr), as: UTF8.self)
            throw EndedWithoutLine(awaited: text, said: said)
        }
        return found
    }

    /// Takes what was read, `nil` for the end, and resumes those whose line it completes.
    private func take(_ bytes: [UInt8]?, from stream: Stream) {
        let served = withSaid(stream) { said in
            if let bytes { said.bytes += bytes } else { said.isOver = true }
            let answers = said.waiting.map { ($0.continuation, said.line(containing: $0.text)) }
            let isServed = answers.map { $0.1 != nil || said.isOver }
            said.waiting = zip(said.waiting, isServed).filter { !$1 }.map(\.0)
            return zip(answers, isServed).filter { $1 }.map(\.0)
        }
        for (continuation, line) in served { continuation.resume(returning: line) }
    }

    private func withSaid<Result: Sendable>(_ stream: Stream, _ body: (inout sending Said) -> sending Result) -> Result
    {
        switch stream {
        case .stdout: stdout.withLock(body)
        case .stderr: stderr.withLock(body)
        }
    }
}
