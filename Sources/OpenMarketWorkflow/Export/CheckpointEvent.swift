package import OpenMarket

package enum CheckpointEvent: Hashable, Sendable {
    /// The checkpoint is damaged; the catalog is read from the beginning.
    case damaged
    /// The file was not written by an export; it stays unchanged, and no checkpoint is kept.
    case foreign
    /// The checkpoint is of another market, version, or choice of details.
    case unlike
    /// The checkpoint is of an export that began too long ago, or in the future.
    case outdated(began: Timestamp)
    /// Another process exports to the same file and keeps its replies.
    case locked
    case resumed(began: Timestamp, pages: Int)
    /// The catalog changed since the interrupted export began; it is read from the beginning.
    case catalogMoved(since: Timestamp)
    /// No checkpoint is kept from here on.
    case failed(reason: String)
    /// The export was interrupted after this many pages, which are kept.
    case kept(pages: Int)
}

extension CheckpointEvent {
    /// The event in one sentence, for the checkpoint at a path.
    func words(path: String) -> String {
        switch self {
        case .damaged: "warning: \(path), left by an interrupted export, is damaged: starting again"
        case .foreign:
            "warning: \(path) was not left by an export: it is left alone, and this export cannot be resumed"
        case .unlike:
            "The interrupted export is of another market, choice of details or version: starting again"
        case .outdated(let began):
            "The interrupted export began at \(began.iso8601), more than a day from now: starting again"
        case .locked: "Another export of the same file is running: this one cannot be resumed"
        case .resumed(let began, let pages):
            "Resuming the export that began at \(began.iso8601): \(counted(pages, "page")) "
                + "\(pages == 1 ? "is" : "are") there already"
        case .catalogMoved(let start): "The catalog moved since \(start.iso8601): starting again"
        case .failed(let reason): "warning: the read pages cannot be kept in \(path): \(reason)"
        case .kept(let pages):
            "Kept \(counted(pages, "page")): run the same export again within a day to resume there"
        }
    }
}
