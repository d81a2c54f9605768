import OpenMarket
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketWorkflow

extension [MarketParameter] {
    /// What fills a description, by name.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 where a name is given twice.
    func byName() throws -> [String: String] {
        try reduce(into: [:]) { values, parameter in
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.marketParameter.flag) gives '\(parameter.name.terminalSafe)' more than once"
                )
            }
        }
    }
}

extension APIArguments {
    /// What the command line alone says of a market, where there is no manifest yet; `nil` where it says nothing.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where the description or what fills it is faulty.
    func settings(_ context: CommandContext) throws -> MarketSettings? {
        guard api != nil || !marketParameter.isEmpty else { return nil }
        let options = try ManifestOptions(context.environment, url: nil, api: self, toleratesUnset: .market)
        return try MarketOnlyManifest(reading: [], options, console: context.console).settings
    }
}
