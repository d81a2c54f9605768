import ArgumentParser
import OpenMarket

/// A setting of a command: the option `--some-name`, the variable `OPENMARKET_SOME_NAME`, and its name in messages.
enum Setting: String, CaseIterable {
    case acceptMarket = "accept-market"
    case acceptOtherMarket = "accept-other-market"
    case adopt
    case all
    case allowCurrencyChange = "allow-currency-change"
    case allowEmpty = "allow-empty"
    case allowMissing = "allow-missing"
    case allowNamesakes = "allow-namesakes"
    case allowOrigin = "allow-origin"
    case allowOutside = "allow-outside"
    case allowStockToZero = "allow-stock-to-zero"
    case allowZeroPrice = "allow-zero-price"
    case api
    case bodyLimit = "body-limit"
    case columns
    case complete
    case control
    case currency
    case database
    case defaultDescription = "default-description"
    case detailedExitcode = "detailed-exitcode"
    case details
    case discard
    case discardEdits = "discard-edits"
    case drift
    case dryRun = "dry-run"
    case excel
    case exclude
    case expectPlan = "expect-plan"
    case faults
    case fetchFrom = "fetch-from"
    case file
    case `for`
    case force
    case format
    case from
    case host
    case id
    case images
    case insecureHTTP = "insecure-http"
    case json
    case keep
    case keepRuns = "keep-runs"
    case language
    case limit
    case lockTimeout = "lock-timeout"
    case mapping
    case market
    case marketParameter = "market-parameter"
    case marketURL = "market-url"
    case maxDelete = "max-delete"
    case maxGone = "max-gone"
    case maxPriceChange = "max-price-change"
    case minPrice = "min-price"
    case noColor = "no-color"
    case noDelete = "no-delete"
    case noResume = "no-resume"
    case onDrift = "on-drift"
    case onFailure = "on-failure"
    case onSuccess = "on-success"
    case online
    case out
    case override
    case parallelism
    case pictureList = "picture-list"
    case pictureURL = "picture-url"
    case picturesURL = "pictures-url"
    case placeholder
    case port
    case printSQL = "print-sql"
    case publicURL = "public-url"
    case quiet
    case rate
    case readAfterWriteDelay = "read-after-write-delay"
    case reason
    case recreate
    case refresh
    case replace
    case replay
    case result
    case run
    case seed
    case seedValue = "seed-value"
    case separator
    case settleDelay = "settle-delay"
    case since
    case state
    case strict
    case summary
    case target
    case targetFile = "target-file"
    case temporary
    case timeout
    case trustProxy = "trust-proxy"
    case url
    case vendorID = "vendor-id"
    case vendors
    case verbose
    case verify
    case wait
    case watch
    case write
    case writeOnly = "write-only"
    case yes

    var flag: String { "--" + rawValue }

    var variable: String {
        "OPENMARKET_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Normalizes the URL that this option has.
    ///
    /// Throws ``CommandFailure`` with exit 64 if it is not the URL of a market.
    func normalizedURL(_ text: String?, insteadOfCredentials: String? = nil) throws -> String? {
        guard let text else { return nil }
        do throws(MarketURL.Fault) {
            return try MarketURL(text).description
        } catch {
            let help = error.holdsCredentials ? insteadOfCredentials ?? error.help : error.help
            throw CommandFailure(.usage, "\(flag) \(error.message)", help: help)
        }
    }
}

extension NameSpecification {
    static func setting(_ setting: Setting, short: Character? = nil) -> NameSpecification {
        let long = Element.customLong(setting.rawValue)
        return short.map { [.customShort($0), long] } ?? [long]
    }
}
