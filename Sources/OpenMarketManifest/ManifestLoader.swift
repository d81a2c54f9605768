import Crypto
package import OpenMarket
import OpenMarketFiles
import SystemPackage
import YAML

/// Reads manifest files, and checks them and their pictures, without contacting a market.
package struct ManifestLoader: Sendable {
    var options: ManifestOptions
    /// A file that is read before it is moved to its path.
    private let unplaced: (file: String, path: String)?
    private let edited: [ExactText: [UInt8]]

    /// With `temporary`, that file is read instead of the one at `path`; messages and results refer to `path`.
    ///
    /// `edited` holds the bytes of files, by path, that are read instead of those on disk.
    package init(
        options: ManifestOptions = ManifestOptions(),
        reading temporary: String? = nil,
        as path: String = "",
        edited: [ExactText: [UInt8]] = [:]
    ) {
        self.options = options
        unplaced = temporary.map { ($0, path) }
        self.edited = edited
    }

    /// Reads files, folders and `-` (standard input) as one manifest, in this order.
    ///
    /// A folder means its `*.yaml` and `*.yml` files, sorted by name. A file given twice is read once. `standardInput`
    /// returns the next bytes at each call and none at the end; `nil` means the process's standard input.
    package func load(_ paths: [String], standardInput: (() throws -> [UInt8])? = nil) -> LoadedManifest {
        var reading = Reading(options: options, unplaced, edited)
        for place in reading.places(of: paths) {
            guard let opened = reading.open(place) else { continue }
            if place.isTable {
                reading.readTable(ManifestInput(opened, standardInput: nil))
            } else if case .standardInput = opened, let standardInput {
                reading.read(ManifestInput(fetch: standardInput))
            } else {
                reading.read(ManifestInput(opened, standardInput: nil))
            }
        }
        return reading.finished()
    }

    /// Reads files, folders and `-` like the other method of this name, but on two cores: one parses the next batch
    /// while the other decodes.
    package func load(
        _ paths: [String],
        standardInput: (@Sendable () throws -> [UInt8])? = nil
    ) async -> LoadedManifest {
        var reading = Reading(options: options, unplaced, edited)
        for place in reading.places(of: paths) {
            guard let opened = reading.open(place) else { continue }
            if place.isTable {
                reading.readTable(ManifestInput(opened, standardInput: nil))
                continue
            }
            await reading.read(ManifestInput(opened, standardInput: standardInput))
        }
        return reading.finished()
    }

    /// Whether the name ends in `.csv` or `.tsv`.
    package static func isTable(_ path: String) -> Bool {
        let ending = path.utf8.suffix(4).map { $0 | 0x20 }
        return ending == Array(".csv".utf8) || ending == Array(".tsv".utf8)
    }

    /// Reads a table in memory, like ``decode(_:name:folder:)``, with `market`, `state`, `defaults` and `policies` from
    /// YAML.
    ///
    /// Relative paths start at `folder`; diagnostics show `name`.
    func decode(
        table: [UInt8],
        beside sections: [UInt8] = [],
        name: String = "<memory>.csv",
        folder: String = "."
    ) -> LoadedManifest {
        var reading = Reading(options: options)
        reading.takesTablesOnly()
        if !sections.isEmpty {
            reading.begin(ManifestSource(name: "<memory>", folder: folder))
            reading.read(ManifestInput(sections))
        }
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.readTable(ManifestInput(table))
        return reading.finished()
    }

    /// Reads a manifest in memory; only pictures and `!file` texts come from the file system.
    ///
    /// Relative paths start at `folder`; diagnostics show `name`.
    func decode(_ bytes: [UInt8], name: String = "<memory>", folder: String = ".") -> LoadedManifest {
        var reading = Reading(options: options)
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.read(ManifestInput(bytes))
        return reading.finished()
    }
}

/// A path given by the user, or found in a given folder.
private enum ManifestPlace {
    case file(String, size: Int?)
    case standardInput
    case fault(String)
    case missing(String)
    case empty(String)

    var isTable: Bool {
        guard case .file(let path, _) = self else { return false }
        return ManifestLoader.isTable(path)
    }

    static func all(of paths: [String]) -> [ManifestPlace] {
        paths.flatMap { $0 == "-" ? [.standardInput] : places(of: $0) }
    }

    private static func places(of path: String) -> [ManifestPlace] {
        // A manifest keeps its name on disk, because the state is stored beside it.
        if case .missing = FileSystem.kind(of: path), let other = FileSystem.respelt(path) { return places(of: other) }
        return switch FileSystem.kind(of: path) {
        case .regular(let size): [.file(path, size: size)]
        case .stream: [.file(path, size: nil)]
        case .folder: files(in: path)
        case .missing: [.missing(path)]
        case .unreachable(let reason): [.fault("\(path) cannot be read: \(reason)")]
        }
    }

    private static func files(in folder: String) -> [ManifestPlace] {
        guard let names = FileSystem.names(in: folder) else { return [.fault("\(folder) cannot be listed")] }
        let manifests = names.filter { name in
            !name.hasPrefix(".") && (name.hasSuffix(".yaml") || name.hasSuffix(".yml"))
                && !DescriptionFile.endings.contains(where: name.hasSuffix)
        }
        guard !manifests.isEmpty else { return [.empty(folder)] }
        // Sorted by bytes, so that names that look the same also have a fixed order.
        return manifests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.flatMap { name -> [ManifestPlace] in
            let file = FileSystem.path(of: name, in: folder)
            if case .folder = FileSystem.kind(of: file) { return [] }
            return places(of: file)
        }
    }
}

private struct Reading {
    private var decoder: ManifestDecoder
    private var digest = SHA256()
    private var seen: Set<ExactText> = []
    private var missing: [Diagnostic] = []
    private let firstManifest: String?
    private let unplaced: (file: String, path: String)?
    private let edited: [ExactText: [UInt8]]

    init(
        options: ManifestOptions,
        _ unplaced: (file: String, path: String)? = nil,
        _ edited: [ExactText: [UInt8]] = [:]
    ) {
        self.unplaced = unplaced
        self.edited = edited
        firstManifest = options.names.firstManifest
        decoder = ManifestDecoder(options: options)
    }

    /// The files at the paths; if one of them is a table, products come from tables only.
    mutating func places(of paths: [String]) -> [ManifestPlace] {
        let places = ManifestPlace.all(of: paths)
        decoder.takesTablesOnly = places.contains(where: \.isTable)
        return places
    }

    /// Opens the next file; `nil` if it cannot be read, or was read already.
    mutating func open(_ place: ManifestPlace) -> ManifestInput.Origin? {
        switch place {
        case .fault(let message):
            report(message)
            return nil
        case .missing(let path):
            let near = FileSystem.nearestName(to: path)
            report(FileSystem.absence(of: path), help: near.map { "did you mean '\($0)'?" } ?? firstManifest)
            return nil
        case .empty(let folder):
            report("\(folder) has no *.yaml or *.yml files", help: firstManifest)
            return nil
        case .standardInput:
            guard seen.insert("-").inserted else { return nil }
            begin(ManifestSource(name: "<stdin>", folder: "."))
            return .standardInput
        case .file(let path, let size):
            do {
                let file = try InputFile.open(path, as: .manifest)
                guard seen.insert(ExactText(FileSystem.resolved(path) ?? path)).inserted else {
                    try? file.close()
                    return nil
                }
                let place = unplaced.flatMap { $0.file == path ? $0.path : nil }
                begin(ManifestSource(path: place ?? path, size: size, rereading: path))
                guard let bytes = edited[ExactText(path)] else { return .file(file) }
                try? file.close()
                return .bytes(bytes)
            } catch {
                report("\(FileError(.read, path, error))", help: FileError(.read, path, error).help)
                return nil
            }
        }
    }

    mutating func begin(_ source: ManifestSource) { decoder.begin(source) }

    mutating func takesTablesOnly() { decoder.takesTablesOnly = true }

    mutating func readTable(_ input: ManifestInput) {
        do throws(YAMLError) {
            var isLast = false
            while !isLast {
                let chunk = try input.nextChunk()
                isLast = chunk.isEmpty
                chunk.withUnsafeBytes { digest.update(bufferPointer: $0) }
                decoder.decodeTable(chunk, isLast: isLast)
                _ = input.takeChunks()
            }
        } catch {
            decoder.report(error)
        }
    }

    mutating func read(_ input: ManifestInput) {
        var reader = ManifestReader(input)
        var isLast = false
        while !isLast {
            let batch = reader.next()
            isLast = batch.isLast
            take(batch)
        }
    }

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

    private mutating func report(_ message: String, help: String? = nil) {
        missing.append(Diagnostic(.error, .unreadableFile, message, help: help))
    }

    mutating func finished() -> LoadedManifest {
        var loaded = decoder.finish(digest: ContentDigest(bytes: digest.finalize()))
        loaded.diagnostics = missing + loaded.diagnostics
        return loaded
    }
}
