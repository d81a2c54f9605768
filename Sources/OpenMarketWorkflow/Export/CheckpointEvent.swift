package import OpenMarket

package enum CheckpointEvent: Hashable, Sendable {
    /// The catalog is read from the beginning, for this reason.
    case restarted(because: String)
    /// No checkpoint is kept from here on, for this reason.
    case notKept(because: String)
    case resumed(began: Timestamp, pages: Int)
    /// The export was interrupted after this many pages, which are kept.
    case kept(pages: Int)
}

extension CheckpointEvent {
    /// The event in one sentence.
    var words: String {
        switch self {
        case .restarted(let reason): "\(reason): starting again"
        case .notKept(let reason): reason
        case .resumed(let began, let pages):
            "Resuming the export that began at \(began.iso8601): \(counted(pages, "page")) "
                + "\(pages == 1 ? "is" : "are") there already"
        case .kept(let pages):
            "Kept \(counted(pages, "page")): run the same export again within a day to resume there"
        }
    }
}
