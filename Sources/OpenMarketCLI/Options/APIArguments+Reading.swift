import OpenMarket
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketWorkflow

extension [MarketParameter] {
    /// The description's parameters by name; throws ``CommandFailure`` with exit 64 if a name is given twice.
    func byName() throws -> [String: String] {
        try reduce(into: [:]) { values, parameter in
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw CommandFailure(
                    .usage,
                    "--market-parameter gives '\(parameter.name.terminalSafe)' more than once"
                )
            }
        }
    }
}

extension APIArguments {
    /// The market settings from the command line alone, without a manifest; `nil` if all are missing.
    ///
    /// Throws ``CommandFailure`` with exit 4 if the description or its parameters are invalid.
    func settings(_ context: CommandContext) throws -> MarketSettings? {
        guard api != nil || !marketParameter.isEmpty else { return nil }
        let options = try ManifestOptions(context.environment, url: nil, api: self, toleratesUnset: .market)
        return try MarketOnlyManifest(reading: [], options).settings
    }
}

/// Normalizes an option's URL.
///
/// Throws ``CommandFailure`` with exit 64 if it is not the URL of a market.
func normalizedURL(_ text: String?, of flag: String, insteadOfCredentials: String? = nil) throws -> String? {
    guard let text else { return nil }
    do throws(MarketURL.Fault) {
        return try MarketURL(text).description
    } catch {
        let help = error.holdsCredentials ? insteadOfCredentials ?? error.help : error.help
        throw CommandFailure(.usage, "\(flag) \(error.message)", help: help)
    }
}
