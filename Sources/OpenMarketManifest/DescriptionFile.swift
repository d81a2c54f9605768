package import OpenMarket
package import OpenMarketDescription
package import OpenMarketFiles
import SystemPackage

/// A market description in a file, with its faults and their positions.
package struct DescriptionFile: Sendable {
    /// A folder of manifests can contain a description, because these endings distinguish it.
    static let endings = [".market.yaml", ".market.yml"]

    /// The path as messages name it.
    package let path: String
    /// The description; `nil` if it has any fault.
    package let description: MarketDescription?
    package let diagnostics: [Diagnostic]
    package let document: [UInt8]
    /// The digest that states and certificates identify the market by.
    package let digest: ContentDigest

    /// Reads a file; `-` is standard input.
    ///
    /// Throws `FileError` if the file cannot be read. Faults of the description are in ``diagnostics``.
    package init(_ path: String) throws(FileError) {
        guard path != "-" else {
            self.init(try InputFile.bytes(of: path), named: "<stdin>")
            return
        }
        var bytes: [UInt8] = []
        do {
            try InputFile.forEachChunk(of: path, as: .marketDescription) { chunk in
                bytes += chunk
                return bytes.count <= MarketLanguage.longestDocument
            }
        } catch .noSuchFileOrDirectory {
            throw FileError(.read, path, .missing(nearest: FileSystem.nearestName(to: path)))
        } catch {
            throw FileError(.read, path, error)
        }
        self.init(bytes, named: path)
    }

    /// Reads a document in memory; `path` is its name in messages.
    package init(_ bytes: [UInt8], named path: String) {
        let loaded = MarketDescriptionLoader.load(bytes)
        self.path = path
        document = bytes
        digest = loaded.digest
        description = loaded.description
        diagnostics = loaded.diagnostics(of: bytes, file: path)
    }

    /// The described market with these parameters; `nil` if the description is faulty.
    ///
    /// Faults of the parameters are reported by the description, and not here.
    func profile(_ parameters: [String: String]) -> MarketProfile? {
        description.map { MarketProfile($0, document: document, digest: digest, parameters: parameters) }
    }

    func holds(_ credentials: SecretMask) -> Bool {
        credentials.isHeld(by: String(decoding: document, as: UTF8.self))
    }
}
