import FoundationEssentials

/// A folder of a test's own, removed when the test is done, also when it failed.
struct TemporaryDirectory: ~Copyable, Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/openmarket-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, with the folders above it; returns its path.
    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = path + "/" + name
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes a text file.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, text.utf8)
    }

    /// A file's bytes.
    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }
}
