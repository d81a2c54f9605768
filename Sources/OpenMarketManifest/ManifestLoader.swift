import Crypto
import OpenMarket
import OpenMarketFiles
import SystemPackage
import YAML

/// Reads manifest files, and checks them and the pictures they name, without ever talking to a market.
package struct ManifestLoader: Sendable {
    /// What decides beside the files.
    var options: ManifestOptions

    /// A loader.
    package init(options: ManifestOptions = ManifestOptions()) {
        self.options = options
    }

    /// Reads files, folders (their `*.yaml` and `*.yml`, sorted by name) and `-`, standard input, as one manifest.
    ///
    /// - Parameters:
    ///   - paths: what to read, in this order; a file named twice is read once.
    ///   - standardInput: gives the next bytes of standard input at each call, none at the end. `nil` reads the
    ///     process's own.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    package func load(_ paths: [String], standardInput: (() throws -> [UInt8])? = nil) -> LoadedManifest {
        var reading = Reading(options: options)
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

    /// Reads files, folders and `-` like the other method of this name, on two cores: one takes the text apart while the
    /// other checks what it means.
    ///
    /// - Parameters:
    ///   - paths: what to read, in this order; a file named twice is read once.
    ///   - standardInput: gives the next bytes of standard input at each call, none at the end. `nil` reads the
    ///     process's own.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    package func load(
        _ paths: [String],
        standardInput: (@Sendable () throws -> [UInt8])? = nil
    ) async -> LoadedManifest {
        var reading = Reading(options: options)
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

    /// Whether a file is a table, by its name: `.csv` or `.tsv`.
    package static func isTable(_ path: String) -> Bool {
        let ending = path.utf8.suffix(4).map { $0 | 0x20 }
        return ending == Array(".csv".utf8) || ending == Array(".tsv".utf8)
    }

    /// Reads a table in memory, like ``decode(_:name:folder:)``; beside it YAML gives `market`, `state`, `defaults` and `policies`.
    ///
    /// - Parameters:
    ///   - table: the bytes of the table.
    ///   - sections: the YAML text.
    ///   - name: the table's name in diagnostics.
    ///   - folder: where relative paths start.
    /// - Returns: the manifest and everything that is wrong or doubtful.
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
    /// - Parameters:
    ///   - bytes: the YAML text.
    ///   - name: the file's name in diagnostics.
    ///   - folder: where relative paths start.
    /// - Returns: the manifest and everything that is wrong or doubtful.
    func decode(_ bytes: [UInt8], name: String = "<memory>", folder: String = ".") -> LoadedManifest {
        var reading = Reading(options: options)
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.read(ManifestInput(bytes))
        return reading.finished()
    }
}

/// Something that the user named, or found in a folder that the user named.
private enum ManifestPlace {
    case file(String, size: Int?)
    case standardInput
    case fault(String)
    case missing(String)
    case empty(String)

    /// Whether it is a table, by its name.
    var isTable: Bool {
        guard case .file(let path, _) = self else { return false }
        return ManifestLoader.isTable(path)
    }

    /// All files that are named, in their order.
    static func all(of paths: [String]) -> [ManifestPlace] {
        paths.flatMap { $0 == "-" ? [.standardInput] : places(of: $0) }
    }

    private static func places(of path: String) -> [ManifestPlace] {
        // A manifest keeps the name that it has on disk: the state lies beside it.
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
        // By bytes: two names that look the same have an order, too.
        return manifests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.flatMap { name -> [ManifestPlace] in
            let file = FileSystem.path(of: name, in: folder)
            if case .folder = FileSystem.kind(of: file) { return [] }
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
    private let firstManifest: String?

    init(options: ManifestOptions) {
        firstManifest = options.names.firstManifest
        decoder = ManifestDecoder(options: options)
    }

    /// The files that are named; where one of them is a table, products come from tables alone.
    mutating func places(of paths: [String]) -> [ManifestPlace] {
        let places = ManifestPlace.all(of: paths)
        decoder.takesTablesOnly = places.contains(where: \.isTable)
        return places
    }

    /// Begins with the next file.
    ///
    /// - Returns: what to read; `nil` where it cannot be read, or was.
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
                begin(ManifestSource(path: path, size: size))
                return .file(file)
            } catch {
                report("\(path) cannot be read: \(error)")
                return nil
            }
        }
    }

    mutating func begin(_ source: ManifestSource) { decoder.begin(source) }

    mutating func takesTablesOnly() { decoder.takesTablesOnly = true }

    /// Reads a table, a chunk at a time.
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

    private mutating func report(_ message: String, help: String? = nil) {
        missing.append(Diagnostic(.error, .unreadableFile, message, help: help))
    }

    mutating func finished() -> LoadedManifest {
        var loaded = decoder.finish(digest: ContentDigest(bytes: digest.finalize()))
        loaded.diagnostics = missing + loaded.diagnostics
        return loaded
    }
}
