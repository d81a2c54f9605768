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
        for place in ManifestPlace.all(of: paths) {
            guard let opened = reading.open(place) else { continue }
            if case .standardInput = opened, let standardInput {
                reading.read(ManifestInput(fetch: standardInput))
            } else {
                reading.read(ManifestInput(opened, standardInput: nil))
            }
        }
        return reading.finished()
    }

    /// Reads files, folders and `-` like the other method of this name, on two cores: one takes the text apart while the
    /// other checks what it means.
    ///
    /// - Parameters:
    ///   - paths: what to read, in this order; a file named twice is read once.
    ///   - standardInput: gives the next bytes of standard input at each call, none at the end. `nil` reads the
    ///     process's own.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    public func load(
        _ paths: [String],
        standardInput: (@Sendable () throws -> [UInt8])? = nil
    ) async -> LoadedManifest {
        var reading = Reading(options: options)
        for place in ManifestPlace.all(of: paths) {
            guard let opened = reading.open(place) else { continue }
            await reading.read(ManifestInput(opened, standardInput: standardInput))
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
        let input = ManifestInput {
            defer { rest = nil }
            return rest ?? []
        }
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.read(input)
        return reading.finished()
    }
}

/// Something that the user named, or found in a folder that the user named.
private enum ManifestPlace {
    case file(String, size: Int?)
    case standardInput
    case fault(String)

    /// All files that are named, in their order.
    static func all(of paths: [String]) -> [ManifestPlace] {
        paths.flatMap { $0 == "-" ? [.standardInput] : places(of: $0) }
    }

    private static func places(of path: String) -> [ManifestPlace] {
        // A manifest keeps the name that it has on disk: the state lies beside it.
        if case .missing = FileAccess.kind(of: path), let other = FileAccess.respelt(path) { return places(of: other) }
        return switch FileAccess.kind(of: path) {
        case .regular(let size): [.file(path, size: size)]
        case .stream: [.file(path, size: nil)]
        case .folder: files(in: path)
        case .missing: [.fault("\(path) does not exist")]
        case .unreachable(let reason): [.fault("\(path) cannot be read: \(reason)")]
        }
    }

    private static func files(in folder: String) -> [ManifestPlace] {
        guard let names = FileAccess.names(in: folder) else { return [.fault("\(folder) cannot be listed")] }
        let manifests = names.filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
        guard !manifests.isEmpty else { return [.fault("\(folder) has no *.yaml or *.yml files")] }
        // By bytes: two names that look the same have an order, too.
        return manifests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.flatMap { name -> [ManifestPlace] in
            let file = folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
            if case .folder = FileAccess.kind(of: file) { return [] }
            return places(of: file)
        }
    }
}

/// One run of the loader.
private struct Reading {
    private var decoder: ManifestDecoder
    private var digest = SHA256()
    private var seen: Set<ExactText> = []
    private var missing: [Diagnostic] = []

    init(options: ManifestOptions) {
        decoder = ManifestDecoder(options: options)
    }

    /// Begins with the next file.
    ///
    /// - Returns: what to read; `nil` where it cannot be read, or was.
    mutating func open(_ place: ManifestPlace) -> ManifestInput.Origin? {
        switch place {
        case .fault(let message):
            report(message)
            return nil
        case .standardInput:
            guard seen.insert("-").inserted else { return nil }
            begin(ManifestSource(name: "<stdin>", folder: "."))
            return .standardInput
        case .file(let path, let size):
            do {
                let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
                guard seen.insert(ExactText(FileAccess.resolved(path) ?? path)).inserted else {
                    try? file.close()
                    return nil
                }
                begin(ManifestSource(path: path, size: size))
                return .file(file)
            } catch {
                report("\(path) cannot be read: \(error)")
                return nil
            }
        }
    }

    mutating func begin(_ source: ManifestSource) { decoder.begin(source) }

    /// Reads and decodes in turn.
    mutating func read(_ input: ManifestInput) {
        var reader = ManifestReader(input)
        var isLast = false
        while !isLast {
            let batch = reader.next()
            isLast = batch.isLast
            take(batch)
        }
    }

    /// Decodes each batch while the next one is read.
    mutating func read(_ input: sending ManifestInput) async {
        let reader = BackgroundReader(input)
        var batch = await reader.next()
        while !batch.isLast {
            async let next = reader.next()
            take(batch)
            batch = await next
        }
        take(batch)
    }

    private mutating func take(_ batch: ManifestBatch) {
        for chunk in batch.chunks { chunk.withUnsafeBytes { digest.update(bufferPointer: $0) } }
        decoder.decode(batch)
    }

    private mutating func report(_ message: String) {
        missing.append(Diagnostic(.error, .unreadableFile, message))
    }

    mutating func finished() -> LoadedManifest {
        var loaded = decoder.finish(digest: ContentDigest(bytes: digest.finalize()))
        loaded.diagnostics = missing + loaded.diagnostics
        return loaded
    }
}
