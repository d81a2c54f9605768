import FoundationEssentials
import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file name with a day in it, and the files of other days beside it: `catalog-{date}.csv.gz`.
struct DatedFiles {
    /// What stands for the day.
    static let placeholder = "{date}"

    private let folder: String
    private let prefix: String
    private let suffix: String

    /// - Parameter template: a path with ``placeholder`` in the file's name, once; `nil` comes of any other.
    init?(_ template: String) {
        let folder = template.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(template[...$0]) } ?? ""
        let parts = template.dropFirst(folder.count).split(
            separator: Self.placeholder,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, !folder.contains(Self.placeholder) else { return nil }
        self.folder = folder
        prefix = String(parts[0])
        suffix = String(parts[1])
    }

    /// The file of a moment's day (UTC).
    func path(at moment: Timestamp) -> String { folder + prefix + moment.iso8601.prefix(10) + suffix }

    /// The file of the newest day; `nil` where there is none.
    func newest() throws -> String? { try names().last.map { folder + $0 } }

    /// The names of all days' files, the oldest first.
    private func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
                .filter { isDated($0) && isRegularFile(folder + $0) }.sorted()
        } catch {
            throw CommandFailure(
                .failure,
                "cannot look for earlier exports in the folder \(folder.isEmpty ? "." : folder.terminalSafe)",
                help: "make the folder, or name another one"
            )
        }
    }

    /// Removes the files of the oldest days, each with its certificate, until so many are left.
    ///
    /// Only what has such a name, to the letter, is looked at, and only regular files.
    ///
    /// - Parameters:
    ///   - count: how many, from 1.
    ///   - written: the file of this run, which stays: a clock that was wrong once may have left files of later days.
    /// - Returns: the names of the exports that were removed, the oldest first.
    /// - Throws: ``CommandFailure`` with the system's reason.
    func removeOldest(keeping count: Int, with written: String) throws -> [String] {
        let old = try names().filter { folder + $0 != written }.dropLast(count - 1)
        for name in old {
            // The certificate first: one without its file would speak of nothing.
            for path in [ExportFile.certificate(of: folder + name), folder + name]
            where unlink(path) != 0 && errno != ENOENT {
                throw CommandFailure(.failure, "cannot remove \(path.terminalSafe): \(Errno(rawValue: errno))")
            }
        }
        return Array(old)
    }

    private func isDated(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard bytes.starts(with: prefix.utf8), bytes.count == prefix.utf8.count + 10 + suffix.utf8.count,
            bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        else { return false }
        let day = bytes.dropFirst(prefix.utf8.count).prefix(10)
        return day.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7
                ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }

    private func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
