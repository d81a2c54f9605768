import OpenMarket
import OpenMarketFiles

package enum ManifestSelection {
    /// The manifest to read if no file is given.
    package static let standard = "openmarket.yaml"

    /// The manifests to read: those given, or else `openmarket.yaml` in the current folder.
    ///
    /// Tables describe products but no market, so with tables alone `openmarket.yaml` is also read.
    package static func files(named: [String]) -> [String] {
        guard !named.isEmpty else { return [standard] }
        let needsMarket = named.allSatisfy(ManifestLoader.isTable)
        return needsMarket && !FileSystem.isMissing(standard) ? [standard] + named : named
    }

    /// The manifests that define the market: as ``files(named:)``, but without `openmarket.yaml` if it does not exist.
    package static func filesOfMarket(named: [String]) -> [String] {
        FileSystem.isMissing(standard) ? named : files(named: named)
    }

    /// The variables that the given manifests use for credentials, even if the manifests are faulty.
    package static func credentialVariables(named: [String], environment: [String: String]) async -> Set<String> {
        var options = ManifestOptions(environment: environment)
        options.readsPictures = false
        let loaded = await ManifestLoader(options: options).load(files(named: named))
        return loaded.manifest?.credentialVariables ?? ManifestOptions.credentialVariables
    }

    /// The first file that is a document of the tool, such as a saved plan.
    ///
    /// Read as a manifest, it would only cause errors about unknown keys.
    package static func document(among files: [String]) -> String? {
        files.first { path in
            guard let head = FileSystem.head(of: path, atMost: 100), head.first == UInt8(ascii: "{") else {
                return false
            }
            return String(decoding: head, as: UTF8.self).contains("\"tool\": \"openmarket ")
        }
    }
}
