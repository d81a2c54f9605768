import FoundationEssentials
import OpenMarket
import OpenMarketManifest

extension ManifestArguments {
    /// The manifests to read: as named, else from `OPENMARKET_FILE`, else `openmarket.yaml` in the current folder.
    func paths(settings: Settings) throws -> [String] {
        let named = settings.list(files + manifests, "file")
        return named.isEmpty ? ["openmarket.yaml"] : named
    }

    /// Reads the manifests; what is wrong with them is in the answer.
    func load(settings: Settings, url: String?, api: ProfileOption?) throws -> LoadedManifest {
        let options = ManifestOptions(
            environment: settings.environment,
            allowOutside: try settings.isOn(allowOutside, "allow-outside"),
            urlOverride: try settings.text(url, "url"),
            profileOverride: try settings.value(api, "api") { ProfileOption(argument: $0) }?.profile
        )
        return try ManifestLoader(options: options).load(paths(settings: settings))
    }
}
