import Crypto
package import OpenMarket
import OpenMarketFiles
import SystemPackage
import YAML

/// Reads manifest files, and checks them and their pictures, without contacting a market.
package struct ManifestLoader: Sendable {
    var options: ManifestOptions
    private let edited: [ExactText: [UInt8]]

    /// `edited` holds the bytes of files, by path, that are read instead of those on disk; such a file may be missing.
    ///
    /// Those of `-` are the bytes of standard input.
    package init(options: ManifestOptions = ManifestOptions(), edited: [ExactText: [UInt8]] = [:]) {
        self.options = options
        self.edited = edited
    }

    /// Reads files, folders and `-` (standard input) as one manifest, in this order.
    ///
    /// A folder means its `*.yaml` and `*.yml` files, sorted by name. A file's includes follow it. A file given twice is
    /// read once.
    package func load(_ paths: [String]) -> LoadedManifest {
        var reading = Reading(options: options, edited)
        reading.begin(with: paths)
        while let (opened, isTable) = reading.next() {
            if isTable { reading.readTable(ManifestInput(opened)) } else { reading.read(ManifestInput(opened)) }
        }
        return reading.finished()
    }

    /// Reads files, folders and `-` like the other method of this name, but on two cores: one parses the next batch
    /// while the other decodes.
    package func load(_ paths: [String]) async -> LoadedManifest {
        var reading = Reading(options: options, edited)
        reading.begin(with: paths)
        while let (opened, isTable) = reading.next() {
            if isTable { reading.readTable(ManifestInput(opened)) } else { await reading.read(ManifestInput(opened)) }
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
            reading.read(ManifestInput(.bytes(sections)))
        }
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.readTable(ManifestInput(.bytes(table)))
        return reading.finished()
    }

    /// Reads a manifest in memory; only pictures and `!file` texts come from the file system.
    ///
    /// Relative paths start at `folder`; diagnostics show `name`.
    func decode(_ bytes: [UInt8], name: String = "<memory>", folder: String = ".") -> LoadedManifest {
        var reading = Reading(options: options)
        reading.begin(ManifestSource(name: name, folder: folder))
        reading.read(ManifestInput(.bytes(bytes)))
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

    static func places(of path: String) -> [ManifestPlace] {
        // A manifest keeps its name on disk, because the state is stored next to it.
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
    private let allowsOutside: Bool
    /// The files to read, the next one last.
    private var waiting: [Waiting] = []
    /// The include that led to the present file, and the resolved paths of the files on the way to it, itself last.
    private var include: ManifestInclude?
    private var trail: [String] = []
    /// The folder that included files and their paths must not leave: that of the file named by the user.
    private var root = "/"
    /// The folder of the first file; a table in it may name the pictures of the whole shop.
    private var shop: String?
    private let edited: [ExactText: [UInt8]]

    private struct Waiting {
        var place: ManifestPlace
        var include: ManifestInclude?
        var trail: [String]
    }

    init(options: ManifestOptions, _ edited: [ExactText: [UInt8]] = [:]) {
        self.edited = edited
        allowsOutside = options.allowOutside
        decoder = ManifestDecoder(options: options)
    }

    /// Takes the files at the paths; if one of them is a table, products come from tables only.
    mutating func begin(with paths: [String]) {
        let places = ManifestPlace.all(of: paths).map { place in
            guard case .missing(let path) = place, let bytes = edited[ExactText(path)] else { return place }
            return ManifestPlace.file(path, size: bytes.count)
        }
        decoder.takesTablesOnly = places.contains(where: \.isTable)
        waiting = places.reversed().map { Waiting(place: $0, trail: []) }
    }

    /// Opens the next file, after those that the present one includes; `nil` after the last.
    mutating func next() -> (ManifestInput.Origin, isTable: Bool)? {
        let included = decoder.takeIncludes().flatMap { include in
            places(of: include).map { Waiting(place: $0, include: include, trail: trail) }
        }
        waiting += included.reversed()
        while let next = waiting.popLast() {
            (include, trail) = (next.include, next.trail)
            guard let opened = open(next.place) else { continue }
            if include == nil { root = decoder.folder }
            shop = shop ?? root
            return (opened, next.place.isTable)
        }
        return nil
    }

    /// The files that an include means; forbidden ones are reported.
    private mutating func places(of include: ManifestInclude) -> [ManifestPlace] {
        guard isInside(include.path, include) else { return [] }
        var isFolder = false
        if case .folder = FileSystem.kind(of: include.path) { isFolder = true }
        return ManifestPlace.places(of: include.path).filter { place in
            guard case .file(let file, let size) = place else { return true }
            guard isInside(file, include) else { return false }
            let resolved = FileSystem.resolved(file) ?? file
            // The folder of a file may be included with the file in it.
            if trail.contains(resolved) {
                if !isFolder { decoder.report("\(file) includes this file, directly or not", at: include) }
                return false
            }
            guard size != nil, !place.isTable else {
                decoder.report("\(file) is not a YAML file, and cannot be included", at: include)
                return false
            }
            return true
        }
    }

    /// Whether an included path, links followed, is in the folder of the named manifest; reports it if not.
    private mutating func isInside(_ path: String, _ include: ManifestInclude) -> Bool {
        guard !allowsOutside, let resolved = FileSystem.resolved(path), resolved != root,
            !FileSystem.contains(folder: root, path: resolved)
        else { return true }
        let message = "\(path) is outside the manifest's folder"
        decoder.report(message, at: include, help: "move it there, or allow it with --allow-outside")
        return false
    }

    /// How to get a first manifest, if the user named a wrong one.
    private var hint: String? { include == nil ? ManifestOptions.waysToManifest : nil }

    /// Opens the next file; `nil` if it cannot be read, or was read already.
    private mutating func open(_ place: ManifestPlace) -> ManifestInput.Origin? {
        switch place {
        case .fault(let message):
            report(message)
            return nil
        case .missing(let path):
            let near = FileSystem.nearestName(to: path)
            report(FileSystem.absence(of: path), help: near.map { "did you mean '\($0)'?" } ?? hint)
            return nil
        case .empty(let folder):
            report("\(folder) has no *.yaml or *.yml files", help: hint)
            return nil
        case .standardInput:
            guard seen.insert("-").inserted else { return nil }
            begin(ManifestSource(name: "<stdin>", folder: "."))
            return edited[ExactText("-")].map { .bytes($0) } ?? .standardInput
        case .file(let path, let size):
            do {
                let bytes = edited[ExactText(path)]
                let file = bytes == nil ? try InputFile.open(path, as: .manifest) : nil
                let resolved = FileSystem.resolved(path) ?? path
                trail.append(resolved)
                guard seen.insert(ExactText(resolved)).inserted else {
                    try? file?.close()
                    return nil
                }
                let source = ManifestSource(path: path, size: size)
                if include != nil {
                    source.fence = root
                } else if let shop, ManifestLoader.isTable(path), FileSystem.contains(folder: shop, path: resolved) {
                    source.fence = shop
                }
                begin(source)
                return file.map { .file($0) } ?? bytes.map { .bytes($0) }
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
        if let include { return decoder.report(message, at: include, help: help) }
        missing.append(Diagnostic(.error, .unreadableFile, message, help: help))
    }

    mutating func finished() -> LoadedManifest {
        var loaded = decoder.finish(digest: ContentDigest(bytes: digest.finalize()))
        loaded.diagnostics = missing + loaded.diagnostics
        return loaded
    }
}
