import FoundationEssentials
import OpenMarket

/// The holder of a state's lock, as the lock file describes it.
struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    var host: String
    var process: Int32
    /// The command, such as `apply`.
    var command: String
    var since: Timestamp

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

}

extension LockHolder {
    /// Parses ``line``; `nil` for an empty or half-written file.
    init?(line: [UInt8]) {
        guard let holder = try? JSONValue.parse(line),
            let host = holder["host"]?.text,
            let process = holder["process"]?.integer.flatMap({ Int32(exactly: $0) }),
            let command = holder["command"]?.text,
            let since = holder["since"]?.integer.map(Timestamp.init(milliseconds:)), Timestamp.possible.contains(since)
        else { return nil }
        self.init(host: host, process: process, command: command, since: since)
    }

    /// Whether the content can be a lock file's: empty, or the line of a holder.
    ///
    /// After a crash the line may be truncated, or have zeros for unwritten bytes. `content` is the whole file, or more
    /// bytes than such a line has.
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
