import OpenMarket

/// The paths of a document, relative to the folder that it is in: with the folder moves what the document names.
struct DocumentPaths {
    private let folder: [Substring]

    /// - Parameter folder: The document's folder, absolute.
    init(folder: String) {
        self.folder = Self.normalized(folder.split(separator: "/"))
    }

    /// The path as it is written: relative, unless it has nothing in common with the folder.
    func relative(_ path: String) -> String {
        guard path.hasPrefix("/") else { return path }
        let parts = Self.normalized(path.split(separator: "/"))
        let common = zip(folder, parts).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        guard common > 0, common < parts.count else { return path }
        let up = Array(repeating: Substring(".."), count: folder.count - common)
        return (up + parts[common...]).joined(separator: "/")
    }

    /// The absolute path that was written; a URL stays one.
    func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), StateLocation(path).scheme == nil else { return path }
        return "/" + Self.normalized(folder + path.split(separator: "/")).joined(separator: "/")
    }

    /// The path of a manifest, as the user named it, as another document has it; standard input has none.
    func path(_ path: String, in other: DocumentPaths) -> String {
        path.hasPrefix("<") ? path : other.relative(absolute(path))
    }

    /// Without `.` and `..`.
    private static func normalized(_ parts: [Substring]) -> [Substring] {
        var result: [Substring] = []
        for part in parts where part != "." {
            if part == ".." { _ = result.popLast() } else { result.append(part) }
        }
        return result
    }
}

extension SavedPlan {
    /// The same with other paths of its files.
    func mappingPaths(_ map: (String) -> String) -> SavedPlan {
        var copy = mappingPathsBesideOperations(map)
        copy.plan.operations = plan.operations.map { $0.mappingPaths(map) }
        return copy
    }

    /// The same with other paths of the files that no operation names.
    func mappingPathsBesideOperations(_ map: (String) -> String) -> SavedPlan {
        var copy = self
        copy.manifestFiles = manifestFiles.map(map)
        copy.identifier = identifier?.mappingPath(map)
        copy.secret = secret?.mappingPath(map)
        copy.state = map(state)
        copy.plan.stateUpdates = plan.stateUpdates.map { $0.mappingPaths(map) }
        return copy
    }
}

extension PlannedOperation {
    /// The same with other paths of its files.
    func mappingPaths(_ map: (String) -> String) -> PlannedOperation {
        func mapped(_ pictures: [Picture]) -> [Picture] { pictures.map { $0.mappingPath(map) } }
        var copy = self
        copy.secret = secret?.mappingPath(map)
        switch work {
        case .adopt(let entry, let name): copy.work = .adopt(entry.mappingPaths(map), name: name)
        case .create(var product):
            product.pictures = mapped(product.pictures)
            copy.work = .create(product)
        case .update(var update):
            update.pictures = mapped(update.pictures)
            copy.work = .update(update)
        case .replace(var replacement):
            replacement.product.pictures = mapped(replacement.product.pictures)
            copy.work = .replace(replacement)
        case .delete, .forget: break
        }
        return copy
    }
}

/// The manifests' files in messages, as another document has them: as the user named them, from where the program runs.
struct SourcePaths {
    private let files: [String: String]

    /// - Parameters:
    ///   - plan: what names them.
    ///   - folder: where the paths start.
    ///   - other: where they are to start.
    init(of plan: Plan, from folder: DocumentPaths, to other: DocumentPaths) {
        var files: [String: String] = [:]
        let sources = [
            AnySequence(plan.operations.lazy.map(\.source)), AnySequence(plan.refusals.lazy.map(\.source)),
            AnySequence(plan.diagnostics.lazy.map(\.location)),
        ]
        for file in sources.joined().lazy.compactMap({ $0?.file }) where files[file] == nil {
            files[file] = folder.path(file, in: other)
        }
        self.files = files
    }

    /// A location with its file's path.
    func location(_ location: SourceLocation?) -> SourceLocation? {
        guard var location else { return nil }
        location.file = files[location.file] ?? location.file
        return location
    }
}

extension Picture {
    /// The same with another path of its file.
    func mappingPath(_ map: (String) -> String) -> Picture {
        var picture = self
        picture.file = map(file)
        return picture
    }
}

extension StateMutation {
    /// The same with other paths of its files.
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
