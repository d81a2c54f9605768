import OpenMarket
import OpenMarketFiles

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file name that contains a day, and the files of other days next to it: `catalog-{date}.csv.gz`.
package struct DatedFiles: Sendable {
    struct Removal: Sendable {
        var count = 0
        /// Exports that do not match their certificates, and were not removed.
        var altered: [String] = []
        var faults: [FileError] = []
    }

    /// Replaced by the day, in the time zone that `TZ` names.
    package static let placeholder = "{date}"
    /// Replaced by the day in UTC.
    static let utcPlaceholder = "{date:utc}"

    /// Whether a path has either placeholder, anywhere.
    static func hasPlaceholder(_ path: String) -> Bool {
        path.contains(placeholder) || path.contains(utcPlaceholder)
    }

    private let folder: String
    private let prefix: String
    private let suffix: String
    private let isUTC: Bool

    /// `nil` unless the file's name, not a folder's, has `{date}` or `{date:utc}` exactly once.
    init?(_ template: String) {
        let folder = FileSystem.prefix(of: template)
        isUTC = template.contains(Self.utcPlaceholder)
        let parts = FileSystem.name(of: template).split(
            separator: isUTC ? Self.utcPlaceholder : Self.placeholder,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, !Self.hasPlaceholder(folder),
            !parts.contains(where: { Self.hasPlaceholder(String($0)) })
        else { return nil }
        self.folder = folder
        prefix = String(parts[0])
        suffix = String(parts[1])
    }

    func path(at moment: Timestamp) -> String {
        folder + prefix + (isUTC ? String(moment.iso8601.prefix(10)) : Self.localDay(moment)) + suffix
    }

    private static func localDay(_ moment: Timestamp) -> String {
        var seconds = time_t(moment.rawValue / 1000)
        var parts = tm()
        // Reads TZ, because localtime_r is not required to.
        tzset()
        guard localtime_r(&seconds, &parts) != nil else { return String(moment.iso8601.prefix(10)) }
        let numbers = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
        return numbers.map { String($0, width: $1) }.joined(separator: "-")
    }

    func newest() throws(CommandFailure) -> String? { try names().last.map { folder + $0 } }

    /// The names of all days' files, oldest first.
    private func names() throws(CommandFailure) -> [String] {
        let folder = folder.isEmpty ? "." : folder
        guard let names = FileSystem.names(in: folder) else {
            throw CommandFailure(
                .failure,
                "cannot look for earlier exports in the folder \(folder)",
                help: "create the folder, or name another one"
            )
        }
        return names.filter { isDated($0) && FileSystem.isRegular(self.folder + $0, followingLink: false) }.sorted()
    }

    /// Removes the exports of the oldest days, each with its certificate, until `count` are left.
    ///
    /// Counts and removes only files that an export wrote: regular files whose name matches exactly, with a certificate
    /// of their bytes. A file that cannot be removed stays, and today's export still succeeds.
    ///
    /// The file `written` by this run always stays: a wrong clock may have left files of later days.
    func removeOldest(keeping count: Int, with written: String) -> Removal {
        let exports = ((try? names()) ?? []).compactMap { name in
            folder + name == written ? nil : try? CertifiedExport(path: folder + name, as: .ownExport)
        }
        var removal = Removal()
        for export in exports.dropLast(count - 1) where !FileRegister.current.isInput(export.path, but: .ownExport) {
            guard (try? export.isWhole()) == true else {
                removal.altered.append(export.path)
                continue
            }
            do throws(FileError) {
                // The certificate is removed first: without its file it would be useless.
                for file in [ExportCertificate.path(of: export.path), export.path] {
                    try FileSystem.remove(file)
                }
                removal.count += 1
            } catch {
                removal.faults.append(error)
            }
        }
        return removal
    }

    private func isDated(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard bytes.starts(with: prefix.utf8), bytes.count == prefix.utf8.count + 10 + suffix.utf8.count,
            bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        else { return false }
        let day = String(decoding: bytes.dropFirst(prefix.utf8.count).prefix(10), as: UTF8.self)
        return day.wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/) != nil
    }
}
