import OpenMarket
import OpenMarketFiles

/// The folder of a document; its paths are relative to it.
package enum DocumentFolder {
    /// The absolute folder of a file, with symbolic links resolved.
    package static func of(_ file: String) -> String {
        FileSystem.absolute(FileSystem.folder(of: file))
    }

    package static var current: String { of("./-") }
}

/// The paths of a document, relative to its folder, so that both can be moved together.
struct DocumentPaths {
    private let folder: [Substring]

    /// `folder` is absolute.
    init(folder: String) {
        self.folder = Self.normalized(folder.split(separator: "/"))
    }

    /// The path as written: relative, or absolute if it does not share a prefix with the folder and `always` is not
    /// set.
    func relative(_ path: String, always: Bool = false) -> String {
        guard path.hasPrefix("/") else { return path }
        let parts = Self.normalized(path.split(separator: "/"))
        let common = zip(folder, parts).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        guard always || common > 0 && common < parts.count else { return path }
        let up = Array(repeating: Substring(".."), count: folder.count - common)
        return (up + parts[common...]).joined(separator: "/")
    }

    /// The absolute path of a written one; a URL stays unchanged.
    func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), StateLocation(path).scheme == nil else { return path }
        return "/" + Self.normalized(folder + path.split(separator: "/")).joined(separator: "/")
    }

    /// A manifest's path, given by the user, as in another document; `-` stays for standard input.
    func path(_ path: String, in other: DocumentPaths) -> String {
        path.hasPrefix("<") ? path : other.relative(absolute(path))
    }

    private static func normalized(_ parts: [Substring]) -> [Substring] {
        var result: [Substring] = []
        for part in parts where part != "." {
            if part == ".." { _ = result.popLast() } else { result.append(part) }
        }
        return result
    }
}

extension SavedPlan {
    func mappingPaths(_ map: (String) -> String) -> SavedPlan {
        var copy = mappingPathsBesideOperations(map)
        copy.plan.operations = plan.operations.map { $0.mappingPaths(map) }
        return copy
    }

    /// The plan with other paths of the files that no operation names.
    func mappingPathsBesideOperations(_ map: (String) -> String) -> SavedPlan {
        var copy = self
        copy.manifestFiles = manifestFiles.map(map)
        copy.marketFile = marketFile.map(map)
        copy.editedBy = editedBy.map(map)
        copy.identifier = identifier?.mappingPath(map)
        copy.secret = secret?.mappingPath(map)
        copy.state = map(state)
        copy.plan.stateUpdates = plan.stateUpdates.map { $0.mappingPaths(map) }
        return copy
    }
}

extension PlannedOperation {
    func mappingPaths(_ map: (String) -> String) -> PlannedOperation {
        var copy = self
        copy.secret = secret?.mappingPath(map)
        if case .adopt(let entry, let name) = work {
            copy.work = .adopt(entry.mappingPaths(map), name: name)
        } else {
            copy.work = work.sending(pictures.map { $0.mappingPath(map) })
        }
        return copy
    }
}

/// The paths of manifests in messages, converted for another document.
///
/// The user's paths are relative to the current folder.
struct SourcePaths {
    private let files: [String: String]

    /// Converts the paths of a plan's manifests from one base folder to another.
    init(of plan: Plan, from folder: DocumentPaths, to other: DocumentPaths) {
        var files: [String: String] = [:]
        let sources = [
            AnySequence(plan.operations.lazy.map(\.source)), AnySequence(plan.refusals.lazy.map(\.source)),
            AnySequence(plan.diagnostics.lazy.map(\.location)),
            AnySequence(plan.operations.lazy.map { $0.adjusted.map { SourceLocation(file: $0.file) } }),
        ]
        for file in sources.joined().lazy.compactMap({ $0?.file }) where files[file] == nil {
            files[file] = folder.path(file, in: other)
        }
        self.files = files
    }

    func convert(_ operation: inout PlannedOperation) {
        operation.source = location(operation.source)
        if let file = operation.adjusted?.file { operation.adjusted?.file = files[file] ?? file }
    }

    func location(_ location: SourceLocation?) -> SourceLocation? {
        guard var location else { return nil }
        location.file = files[location.file] ?? location.file
        return location
    }
}

extension Picture {
    func mappingPath(_ map: (String) -> String) -> Picture {
        var picture = self
        picture.file = map(file)
        return picture
    }
}

extension StateMutation {
    func mappingPaths(_ map: (String) -> String) -> StateMutation {
        guard case .put(let entry) = self else { return self }
        return .put(entry.mappingPaths(map))
    }
}

extension StateEntry {
    fileprivate func mappingPaths(_ map: (String) -> String) -> StateEntry {
        var entry = self
        entry.secret = secret?.mappingPath(map)
        return entry
    }
}

extension SecretReference {
    func mappingPath(_ map: (String) -> String) -> SecretReference {
        switch self {
        case .environment: self
        case .file(let path): .file(map(path))
        case .manifest(let file, let path): .manifest(map(file), path: path)
        }
    }
}
