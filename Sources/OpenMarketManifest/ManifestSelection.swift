import OpenMarket
import OpenMarketFiles

/// Which manifests a command reads.
package enum ManifestSelection {
    /// The manifest where none is named.
    package static let standard = "openmarket.yaml"

    /// The manifests to read: as named, else `openmarket.yaml` in the current folder.
    ///
    /// A table says what products should be, and not where: beside tables alone `openmarket.yaml` is read, too.
    package static func files(named: [String]) -> [String] {
        guard !named.isEmpty else { return [standard] }
        let needsMarket = named.allSatisfy(ManifestLoader.isTable)
        return needsMarket && !FileSystem.isMissing(standard) ? [standard] + named : named
    }

    /// The manifests whose market is meant: as ``files(named:)``, but for `openmarket.yaml` where there is none.
    package static func filesOfMarket(named: [String]) -> [String] {
        FileSystem.isMissing(standard) ? named : files(named: named)
    }

    /// The variables that hold credentials, as far as the manifests that are named say so, whatever is wrong with them.
    package static func credentialVariables(named: [String], environment: [String: String]) async -> Set<String> {
        var options = ManifestOptions(environment: environment)
        options.readsPictures = false
        let loaded = await ManifestLoader(options: options).load(files(named: named))
        return loaded.manifest?.credentialVariables ?? ManifestOptions.credentialVariables
    }

    /// The first file that is a document of the tool's, such as a saved plan: read as JSON it would be a manifest of unknown
    /// keys.
    package static func document(among files: [String]) -> String? {
        files.first { path in
            guard let head = FileSystem.head(of: path, atMost: 100), head.first == UInt8(ascii: "{") else {
                return false
            }
            return String(decoding: head, as: UTF8.self).contains("\"tool\": \"openmarket ")
        }
    }
}
