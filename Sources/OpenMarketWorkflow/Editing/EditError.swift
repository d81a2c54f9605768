package import OpenMarket

package enum EditError: Error, Hashable, Sendable {
    /// The manifest has products in this table, which is not edited.
    case table(String)
    case standardInput
    case changedWhileRead
    /// This manifest changed before it was written.
    case changedMeanwhile(String)
    /// The edited manifest would have these faults.
    case invalid([Diagnostic])
    case severalDestinations
    case unknownDestination(String)
    case unknown(String)
    /// This edit was killed between two files.
    case interrupted(String)
    /// This file has other bytes than the edit wrote, and was left alone; the earlier bytes are in the other file.
    case changedSince(String, kept: String)
    /// This file has values that an edit took from the market and the state has; the other file has the earlier bytes.
    case ofMarket(String, kept: String)
    /// The edit listed so many products that are managed by now, this one first.
    case managed(String, count: Int)
}

extension EditError: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .table(let path): "edits are written into YAML, and \(path) is a table"
        case .standardInput: "edits are written into files, and standard input is not a file"
        case .changedWhileRead: "a manifest changed while it was read; no file was written"
        case .changedMeanwhile(let file): "\(file) changed meanwhile; no file was written"
        case .invalid(let faults):
            "the edited manifest would not be valid: \(faults.counted); no file was written"
        case .severalDestinations: "several files list products, and new ones need one of them"
        case .unknownDestination(let file): "\(file) is not a file of the manifest"
        case .unknown(let id): "the edit \(id) is unknown here"
        case .interrupted(let id):
            "\(id) was interrupted between two files; no change was sent or written"
        case .changedSince(let file, _): "\(file) was changed since the edit, and was left alone"
        case .ofMarket(let file, _):
            "the edit of \(file) came from the market: without it the next apply would send the earlier values"
        case .managed(let key, 1): "'\(key)' is managed by now: without the edit the next apply would delete it"
        case .managed(let key, let count):
            "\(count) products of the edit are managed by now, '\(key)' first: without it the next apply would delete them"
        }
    }
}
