package import OpenMarket

package enum JoiningError: Error, Hashable, Sendable, CustomStringConvertible {
    case noRun(StateLocation)
    /// The session that began the run carries it out alone.
    case notShared(RunID)
    /// It was planned from another manifest than the local one.
    case otherManifest(RunID)
    /// It uses another description of the market than the local one.
    case otherDescription(RunID, market: String)
    /// The local manifest lacks a picture with the bytes of one of the run's pictures: the file has changed.
    case pictureMissing(path: String, key: String)

    package var description: String {
        switch self {
        case .noRun(let location): "no run is under way in the state \(location)"
        case .notShared(let run):
            "run \(run) cannot be shared: its plan was saved, or it lacks operations to share"
        case .otherManifest(let run): "run \(run) was planned from another manifest than the one here"
        case .otherDescription(let run, let market):
            "run \(run) uses another description of \(market) than the one here"
        case .pictureMissing(let path, let key):
            "\(path) of '\(key)' is not the picture that the run is to send"
        }
    }
}
