import FoundationEssentials
import OpenMarket

/// Who holds the lock of a state, as the lock file says.
struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    /// The machine.
    var host: String
    /// The process there.
    var process: Int32
    /// What it does, such as `apply`.
    var command: String
    /// When it took the lock.
    var since: Timestamp

    /// A holder.
    init(host: String, process: Int32, command: String, since: Timestamp) {
        self.host = host
        self.process = process
        self.command = command
        self.since = since
    }

    /// `openmarket apply, process 4711 on lamp, since 2026-11-21T09:30:00Z`.
    package var description: String {
        let since = Date(timeIntervalSince1970: Double(self.since.rawValue / 1000)).formatted(.iso8601)
        return "openmarket \(command), process \(process) on \(host), since \(since)"
    }

    /// The line in the lock file.
    var line: [UInt8] {
        JSONValue.object(
            of: ("command", .string(command)),
            ("host", .string(host)),
            ("process", .integer(process)),
            ("since", .integer(since.rawValue))
        )
        .bytes() + [UInt8(ascii: "\n")]
    }

    /// Reads ``line``; `nil` for an empty or half-written file.
    init?(line: [UInt8]) {
        guard let holder = try? JSONValue.parse(line),
            let host = holder["host"]?.text,
            let process = holder["process"]?.integer.flatMap({ Int32(exactly: $0) }),
            let command = holder["command"]?.text,
            let since = holder["since"]?.integer
        else { return nil }
        self.init(host: host, process: process, command: command, since: Timestamp(rawValue: since))
    }

    /// Whether a file is a lock's: empty, or the line of a holder, whole or as a crash may leave it, cut off or with zeros in
    /// the place of what was not written.
    ///
    /// - Parameter content: the file, or more of it than such a line has.
    /// - Returns: whether it is.
    static func mayHaveLeft(_ content: [UInt8]) -> Bool {
        guard let last = content.lastIndex(where: { $0 != 0 }) else { return true }
        let written = content[...last]
        if LockHolder(line: Array(written)) != nil { return true }
        let start = Array(#"{"command":""#.utf8)
        return !written.contains(UInt8(ascii: "\n"))
            && written.prefix(start.count).elementsEqual(start.prefix(written.count))
            && (try? JSONValue.parse(Array(written))) == nil
    }
}
