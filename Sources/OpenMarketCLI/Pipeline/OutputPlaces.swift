import OpenMarket
import OpenMarketWorkflow

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files that a command reads, none of which its outputs may replace: `plan -o openmarket.yaml` is rejected.
struct OutputPlaces {
    /// What the files are, for the message, with their paths.
    let inputs: [(what: String, path: String)]

    /// - Throws: ``CommandFailure`` with exit 64 when the output would take the place of an input, or is `-`.
    func check(_ path: String?, _ flag: String, allowsStdout: Bool = false) throws {
        guard let path, !(path == "-" && allowsStdout) else { return }
        guard path != "-" else {
            throw CommandFailure(.usage, "\(flag) takes the name of a file, and not -")
        }
        guard let place = Self.identity(path) else { return }
        for input in inputs where Self.identity(input.path).map({ $0 == place }) ?? false {
            throw CommandFailure(.usage, "\(flag) \(path) would replace \(input.what)", help: "name another file")
        }
    }

    /// Whether two paths lead to one file that exists.
    static func areSame(_ path: String, _ other: String) -> Bool {
        identity(path).map { $0 == identity(other) } ?? false
    }

    /// Whether a file stands there that would be lost; a device or a pipe is none.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// What the file is, whatever it is called; `nil` where there is none.
    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
    }
}

extension OutputPlaces {
    /// What planning reads: the manifests, their pictures and texts, the state.
    init(manifest: Manifest, state: StatePlace) {
        let pictures = Set(manifest.listings.pictures(ofTombstones: true).joined().map { ExactText($0.file) })
        self.init(
            manifests: manifest.files,
            state: state,
            others: pictures.map { ("a picture of the manifest", $0.text) } + Self.named(manifest.inputs)
        )
    }

    /// What a saved plan is carried out from.
    init(saved: SavedPlan, file: String, state: StatePlace) {
        let pictures = Set(saved.plan.operations.lazy.flatMap(\.pictures).map { ExactText($0.file) })
        let references = [saved.identifier, saved.secret] + saved.plan.operations.map(\.secret)
        let secrets = Set(references.compactMap { if case .file(let path)? = $0 { ExactText(path) } else { nil } })
        self.init(
            manifests: saved.manifestFiles,
            state: state,
            others: [("the plan", file)] + pictures.map { ("a picture of the plan", $0.text) }
                + secrets.map { ("a secret's file", $0.text) }
        )
    }

    /// What a command reads that takes only the market from the manifests, and perhaps an earlier export.
    init(
        manifests: [String],
        named: Set<ExactText>,
        state: StatePlace,
        earlier: String? = nil
    ) {
        let earlier = earlier.map { [("the earlier export", $0)] } ?? []
        self.init(manifests: manifests, state: state, others: earlier + Self.named(named))
    }

    private init(manifests: [String], state: StatePlace, others: [(what: String, path: String)]) {
        inputs =
            manifests.map { ("the manifest", $0) } + state.files.map { ("the state", $0) } + others
    }

    private static func named(_ paths: Set<ExactText>) -> [(what: String, path: String)] {
        paths.map { ("a file that the manifest names", $0.text) }
    }
}
