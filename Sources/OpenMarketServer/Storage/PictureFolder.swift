import FoundationEssentials
import NIOCore

/// The pictures on disk, byte for byte as they came, each under a name of ours: nothing of an upload's name
/// reaches the file system.
struct PictureFolder: Sendable {
    let path: String

    /// Uses a folder, and makes it.
    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Keeps a picture.
    ///
    /// It is whole under its name or not there at all.
    func write(_ bytes: [UInt8], name: String) throws {
        try FileManager.default.createDirectory(atPath: folder(of: name), withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: file(of: name)), options: .atomic)
    }

    /// A picture's bytes.
    func read(name: String) throws -> ByteBuffer {
        ByteBuffer(bytes: try Data(contentsOf: URL(filePath: file(of: name))))
    }

    /// Drops a picture.
    ///
    /// One that is gone already is no fault: a delete may have been cut short.
    func remove(name: String) {
        try? FileManager.default.removeItem(atPath: file(of: name))
    }

    // The last digits of a time UUID are random, the first ones would fill folder after folder.
    private func folder(of name: String) -> String { "\(path)/\(name.suffix(2))" }
    private func file(of name: String) -> String { "\(folder(of: name))/\(name)" }
}
