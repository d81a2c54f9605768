import Crypto
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import SystemPackage
import YAML

/// A manifest file while and after it is decoded.
///
/// Regular files are read again for the few lines that diagnostics show; what can be read only once is kept.
final class ManifestSource {
    /// As the user named it; `<stdin>` for standard input.
    let name: String
    /// The folder that relative paths start from.
    let folder: String
    /// The same without symbolic links: what paths must not leave.
    let resolvedFolder: String
    /// Where the file is, for finding a secret again.
    let absolutePath: String

    /// The names of a table's columns; `nil` where the file is not one.
    ///
    /// Places in a table are rows and columns, and have no code frames.
    var header: [String]?
    /// Whether it is a market's description.
    var isDescription = false
    /// The bytes that the file had when it was opened, where that is known.
    let size: Int?
    private let rereadPath: String?
    /// The bytes of a source that cannot be read again.
    private var kept: [UInt8] = []

    /// A file on disk, or a pipe with a name, which has no size and cannot be read again.
    init(path: String, size: Int?) {
        name = path
        // What the shell hands over as a pipe lies in no folder of the user's.
        folder = size == nil ? "." : FileSystem.folder(of: path)
        resolvedFolder = FileSystem.resolved(folder) ?? folder
        absolutePath =
            resolvedFolder + (resolvedFolder.hasSuffix("/") ? "" : "/") + FileSystem.name(of: path)
        self.size = size
        rereadPath = size == nil ? nil : path
    }

    /// Bytes that come from a function: standard input, or a test.
    init(name: String, folder: String) {
        self.name = name
        self.folder = folder
        resolvedFolder = FileSystem.resolved(folder) ?? folder
        absolutePath = name
        size = nil
        rereadPath = nil
    }

    /// Keeps bytes that were read, where they cannot be read again.
    func keep(_ chunks: [[UInt8]]) {
        guard rereadPath == nil else { return }
        for chunk in chunks { kept += chunk }
    }

    /// The bytes once more, as far as they were read.
    func reread(_ body: ([UInt8]) -> Bool) {
        if let rereadPath {
            // A file that went away meanwhile has no code frames.
            try? InputFile.forEachChunk(of: rereadPath, as: .manifest, body)
        } else {
            _ = body(kept)
        }
    }
}

/// What the certificate beside an exported table says of a file that ends without a line end.
enum TableCertificate {
    /// There is none about a table.
    case none
    /// The line end is all that the file lacks.
    case whole
    /// The file has other bytes than the export had.
    case other
}

extension ManifestSource {
    /// The certificate that an export leaves beside its file.
    private var certificateDocument: JSONValue? {
        guard let rereadPath else { return nil }
        var bytes: [UInt8] = []
        try? InputFile.forEachChunk(of: rereadPath + ".certificate.json", as: .earlierExport) { chunk in
            bytes += chunk
            return bytes.count < 1 << 20
        }
        return try? JSONValue.parse(bytes)
    }

    /// The market whose export the file is, as the certificate says.
    var export: ExportedTable? {
        let document = certificateDocument?["market"]
        let values = document?["parameters"]
        guard let url = document?["url"]?.text,
            let market = document?["profile"]?.text
        else { return nil }
        let parameters = values?.members?.compactMap { member in member.value.text.map { (member.name, $0) } } ?? []
        return ExportedTable(
            file: name,
            url: url,
            name: market,
            parameters: Dictionary(parameters) { first, _ in first },
            profile: MarketProfile(name: market)
        )
    }

    /// What the certificate says that an export leaves beside its file.
    var certificate: TableCertificate {
        guard let digest = certificateDocument?["sha256"]?.text else { return .none }
        var content = SHA256()
        reread { chunk in
            chunk.withUnsafeBytes { content.update(bufferPointer: $0) }
            return true
        }
        let isWhole = ["\r\n", "\n", ""].contains { end in
            var content = content
            content.update(data: Array(end.utf8))
            return ContentDigest(bytes: content.finalize()).hexadecimal == digest
        }
        return isWhole ? .whole : .other
    }
}

/// Where a manifest's bytes come from, chunk by chunk.
final class ManifestInput {
    private let fetch: () throws -> [UInt8]
    private var file: FileDescriptor?
    /// What was read and not yet asked for.
    private var chunks: [[UInt8]] = []
    /// How many bytes were read so far.
    private(set) var bytesRead = 0

    /// What there is to read.
    enum Origin: Sendable {
        /// A file or a pipe with a name, which is closed in the end.
        case file(FileDescriptor)
        case standardInput
    }

    /// The bytes of a file, or what standard input gives; `nil` means the process's own.
    convenience init(_ origin: Origin, standardInput: (@Sendable () throws -> [UInt8])?) {
        switch origin {
        case .file(let file): self.init(file: file) { try file.readChunk() }
        case .standardInput: self.init(fetch: standardInput ?? { try FileDescriptor.standardInput.readChunk() })
        }
    }

    private init(file: FileDescriptor, fetch: @escaping @Sendable () throws -> [UInt8]) {
        self.file = file
        self.fetch = fetch
    }

    /// Bytes that come from a function, none at the end.
    init(fetch: @escaping () throws -> [UInt8]) { self.fetch = fetch }

    convenience init(_ bytes: [UInt8]) {
        var rest: [UInt8]? = bytes
        self.init {
            defer { rest = nil }
            return rest ?? []
        }
    }

    deinit { try? file?.close() }

    /// The next bytes; none at the end.
    func nextChunk() throws(YAMLError) -> [UInt8] {
        let chunk: [UInt8]
        do {
            chunk = try fetch()
        } catch {
            throw YAMLError(.input, "cannot read: \(error)")
        }
        if bytesRead == 0, let kind = FileKind(head: chunk) {
            throw YAMLError(.encoding, "this is \(kind.name), and no text", help: kind.help)
        }
        chunks.append(chunk)
        bytesRead += chunk.count
        return chunk
    }

    /// The chunks since this was last called.
    func takeChunks() -> [[UInt8]] {
        defer { chunks = [] }
        return chunks
    }
}
