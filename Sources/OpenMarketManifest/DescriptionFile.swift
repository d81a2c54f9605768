package import OpenMarket
package import OpenMarketDescription
package import OpenMarketFiles
import SystemPackage

/// The description of a market in a file, with what is wrong with it at its places.
package struct DescriptionFile: Sendable {
    /// How descriptions are called, so that a folder of manifests can hold one.
    static let endings = [".market.yaml", ".market.yml"]

    /// The file, as it is named in messages.
    package let path: String
    /// The description; `nil` where anything is wrong with it.
    package let description: MarketDescription?
    /// Everything that is wrong with it, at its line and column.
    package let diagnostics: [Diagnostic]
    /// Its bytes.
    package let document: [UInt8]
    /// Their digest, by which states and certificates know the market.
    package let digest: ContentDigest

    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: `FileError` where it cannot be read. What is wrong with the description is in ``diagnostics``.
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

    /// Reads bytes that are there already.
    ///
    /// - Parameters:
    ///   - bytes: the whole document.
    ///   - path: what it is called in messages.
    package init(_ bytes: [UInt8], named path: String) {
        let loaded = MarketDescriptionLoader.load(bytes)
        self.path = path
        document = bytes
        digest = loaded.digest
        description = loaded.description
        diagnostics = loaded.diagnostics(of: bytes, file: path)
    }

    /// The market that the description and values make.
    ///
    /// - Parameter parameters: what fills the description; what is wrong with them the description says itself.
    /// - Returns: the market; `nil` where the description is faulty.
    func profile(_ parameters: [String: String]) -> MarketProfile? {
        description.map { MarketProfile($0, document: document, digest: digest, parameters: parameters) }
    }

    /// Whether a text is in the document.
    func holds(_ credentials: CredentialTexts) -> Bool {
        credentials.isHeld(by: String(decoding: document, as: UTF8.self))
    }
}
