package import OpenMarket
import OpenMarketFiles

/// Where an export goes: standard output, a file, or the file of a day.
package struct ExportTarget: Sendable {
    /// The path as it was named, perhaps with a placeholder for the day.
    package let template: String
    /// The file; `-` is standard output.
    package let path: String
    private let dated: DatedFiles?
    private let keep: Int?

    /// - Parameters:
    ///   - template: the path; `-` is standard output.
    ///   - keep: how many exports of other days stay, this one included; `nil` keeps all.
    ///   - now: the moment whose day it is.
    /// - Throws: ``ExportError``.
    package init(_ template: String, keeping keep: Int? = nil, now: Timestamp = .now) throws(ExportError) {
        self.template = template
        self.keep = keep
        dated = DatedFiles(template)
        let path = dated?.path(at: now) ?? template
        self.path = StandardStreams.isOutput(path) ? "-" : path
        guard dated != nil || !DatedFiles.hasPlaceholder(template) else { throw .misplacedDate(template) }
        guard dated != nil || keep == nil else { throw .keepNeedsDate }
    }

    /// Whether it goes to standard output.
    package var isStandardOutput: Bool { path == "-" }

    /// Whether it is or becomes a regular file, and not a pipe or a device.
    package var isRegular: Bool { !isStandardOutput && FileSystem.mayBecomeRegular(path) }

    /// The export before this one.
    func earlier() throws(ExportError) -> String { try dated?.newest() ?? path }

    /// Removes the exports of the oldest days.
    func removeOldest() -> DatedFiles.Removal {
        keep.flatMap { dated?.removeOldest(keeping: $0, with: path) } ?? DatedFiles.Removal()
    }
}
