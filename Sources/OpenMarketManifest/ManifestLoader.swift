import Crypto
import OpenMarket
import SystemPackage

/// Reads manifest files, and checks them and the pictures they name, without ever talking to a market.
public struct ManifestLoader: Sendable {
    /// What decides beside the files.
    public var options: ManifestOptions

    /// A loader.
    public init(options: ManifestOptions = ManifestOptions()) {
        self.options = options
    }

    /// Reads files, folders (their `*.yaml` and `*.yml`, sorted by name) and `-`, standard input, as one manifest.
    ///
    /// - Parameters:
    ///   - paths: what to read, in this order; a file named twice is read once.
    ///   - standardInput: gives the next bytes of standard input at each call, none at the end. `nil` reads the
    ///     process's own.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    public func load(_ paths: [String], standardInput: (() throws -> [UInt8])? = nil) -> LoadedManifest {
        var reading = Reading(options: options)
        for path in paths {
            if path == "-" {
                reading.readOnce("-") {
                    ManifestSource(
                        name: "<stdin>",
                        folder: ".",
                        fetch: standardInput ?? { try FileAccess.readChunk(.standardInput) }
                    )
                }
            } else {
                reading.read(path)
            }
        }
        return reading.finished()
    }

    /// Reads a manifest in memory; only pictures and `!file` texts come from the file system.
    ///
    /// - Parameters:
    ///   - bytes: the YAML text.
    ///   - name: the file's name in diagnostics.
    ///   - folder: where relative paths start.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    public func decode(_ bytes: [UInt8], name: String = "<memory>", folder: String = ".") -> LoadedManifest {
        var reading = Reading(options: options)
        var rest: [UInt8]? = bytes
        reading.readOnce(name) {
            ManifestSource(name: name, folder: folder) {
                defer { rest = nil }
                return rest ?? []
            }
        }
        return reading.finished()
    }
}

/// One run of the loader.
private struct Reading {
    private var decoder: ManifestDecoder
    private let digest = RunningDigest()
    private var seen: Set<ExactText> = []
    private var missing: [Diagnostic] = []

    /// Shared with the closures that libyaml calls for more bytes.
    private final class RunningDigest {
        var hash = SHA256()
    }

    init(options: ManifestOptions) {
        decoder = ManifestDecoder(options: options)
    }

    mutating func read(_ path: String) {
        // A manifest keeps the name that it has on disk: the state lies beside it.
        if case .missing = FileAccess.kind(of: path), let other = FileAccess.respelt(path) { return read(other) }
        switch FileAccess.kind(of: path) {
        case .regular(let size):
            open(path, size: size)
        case .stream:
            open(path, size: nil)
        case .folder:
            readFolder(path)
        case .missing:
            report("\(path) does not exist")
        case .unreachable(let reason):
            report("\(path) cannot be read: \(reason)")
        }
    }

    private mutating func readFolder(_ path: String) {
        guard let names = FileAccess.names(in: path) else { return report("\(path) cannot be listed") }
        let manifests = names.filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
        guard !manifests.isEmpty else { return report("\(path) has no *.yaml or *.yml files") }
        // By bytes: two names that look the same have an order, too.
        for name in manifests.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let file = path.utf8.last == UInt8(ascii: "/") ? path + name : path + "/" + name
            if case .folder = FileAccess.kind(of: file) { continue }
            read(file)
        }
    }

    private mutating func open(_ path: String, size: Int?) {
        do throws(Errno) {
            let source = try ManifestSource(path: path, size: size)
            readOnce(FileAccess.resolved(path) ?? path) { source }
        } catch {
            report("\(path) cannot be read: \(error)")
        }
    }

    mutating func readOnce(_ identity: String, _ source: () -> ManifestSource) {
        guard seen.insert(ExactText(identity)).inserted else { return }
        decoder.decode(source()) { [digest] chunk in
            chunk.withUnsafeBytes { digest.hash.update(bufferPointer: $0) }
        }
    }

    private mutating func report(_ message: String) {
        missing.append(Diagnostic(.error, message))
    }

    mutating func finished() -> LoadedManifest {
        var loaded = decoder.finish(digest: ContentDigest(bytes: digest.hash.finalize()))
        loaded.diagnostics = missing + loaded.diagnostics
        return loaded
    }
}
