import OpenMarket
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketReview

extension APIArguments {
    /// What fills the description.
    var parameters: [String: String] {
        get throws {
            var values: [String: String] = [:]
            for option in marketParameter {
                guard values.updateValue(option.value, forKey: option.name) == nil else {
                    throw CommandFailure(
                        .usage,
                        "\(Setting.marketParameter.flag) gives '\(option.name.terminalSafe)' more than once"
                    )
                }
            }
            return values
        }
    }

    /// What the command line alone says of a market, where there is no manifest yet; `nil` where it says nothing.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where the description or what fills it is faulty.
    func settings(_ context: CommandContext) throws -> MarketSettings? {
        guard api != nil || !marketParameter.isEmpty else { return nil }
        let options = try ManifestOptions(context.environment, url: nil, api: self, toleratesUnset: .market)
        return try MarketOnlyManifest(onCommandLine: options, console: context.console).settings
    }
}
