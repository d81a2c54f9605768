package import SystemPackage

package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Action: String, Sendable {
        case read, write, open, create, remove, lock
        case createFolder = "create the folder"
    }

    package enum Reason: Hashable, Sendable {
        case system(Errno)
        /// No such file; `nearest` is a similar name in the folder.
        case missing(nearest: String?)
        /// A file exists there and is not replaced.
        case taken
        /// The file has a hard link, which would keep the old content.
        case hardLinked
        /// The file belongs to another user, and would change its owner when written.
        case otherOwner
        /// The path ends with a slash, so it can only be a folder.
        case folderName
    }

    package var action: Action
    package var path: String
    package var reason: Reason

    package init(_ action: Action, _ path: String, _ reason: Reason) {
        self.action = action
        self.path = path
        self.reason = reason
    }

    package init(_ action: Action, _ path: String, _ error: Errno) { self.init(action, path, .system(error)) }

    /// Adds the action and the file to an error of the system.
    package static func explaining<Value: ~Copyable>(
        _ action: Action,
        _ path: String,
        _ body: () throws -> Value
    ) throws(FileError) -> Value {
        do {
            return try body()
        } catch {
            throw error as? FileError ?? FileError(action, path, error as? Errno ?? .ioError)
        }
    }

    package var description: String {
        switch reason {
        case .system(.notSupported) where action == .read: "cannot read \(path): it is a pipe or a device"
        case .system(let error): "cannot \(action.rawValue) \(path): \(error)"
        case .missing: FileSystem.absence(of: path)
        case .taken: "\(path) appeared meanwhile; it was not changed"
        case .hardLinked:
            "\(path) has another name by a hard link, which would keep the old contents; it was not changed"
        case .otherOwner: "\(path) belongs to another user, and writing would change that; it was not changed"
        case .folderName: "cannot write \(path): a path that ends with a slash is a folder's"
        }
    }

    package var help: String? {
        switch reason {
        case .system(.notSupported) where action == .read: "name a file, or - for standard input"
        case .system: nil
        case .missing(let nearest): nearest.map { "did you mean '\($0)'?" }
        case .taken: "name another file, or allow that it is replaced"
        case .hardLinked: "write another file, or give it a copy of its own: cp FILE NEW && mv NEW FILE"
        case .otherOwner: "run it as that user"
        case .folderName: "name a file"
        }
    }
}
