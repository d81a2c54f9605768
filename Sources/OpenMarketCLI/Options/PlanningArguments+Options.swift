import OpenMarket
import OpenMarketApply
import OpenMarketClient
import OpenMarketWorkflow

extension PlanningArguments {
    /// How to plan, with the manifest's policies where no flag or variable says otherwise.
    func options(settings: Settings, policies: Policies) throws -> PlannerOptions {
        var policies = policies
        if let bound = try settings.value(maxDelete, .maxDelete) {
            policies.maximumDelete = bound.bound
        }
        if let percent = try settings.value(maxPriceChange, .maxPriceChange) {
            policies.maximumPriceChange = percent.basisPoints
        }
        if let price = try settings.value(minPrice, .minPrice) { policies.minimumPrice = price.amount }
        if try settings.isOn(allowCurrencyChange, .allowCurrencyChange) { policies.allowsCurrencyChange = true }
        if try settings.isOn(allowStockToZero, .allowStockToZero) { policies.allowsStockToZero = true }
        // What the run says is said of all fields.
        let drift = try settings.value(onDrift, .onDrift)
        if drift != nil { policies.onDrift = [:] }
        return PlannerOptions(
            onDrift: drift ?? .restore,
            adopts: try settings.isOn(adopt, .adopt),
            filter: KeyFilter(
                targets: settings.list(target, .target),
                keys: try settings.text(targetFile, .targetFile).map(KeyList.read),
                exclusions: settings.list(exclude, .exclude)
            ),
            deletes: try !settings.isOn(noDelete, .noDelete),
            policies: policies,
            allowsEmptyManifest: try settings.isOn(allowEmpty, .allowEmpty),
            allowsNamesakes: try settings.isOn(allowNamesakes, .allowNamesakes),
            maximumGone: try settings.value(maxGone, .maxGone)?.bound
        )
    }

    /// How much of the market to read.
    func refreshMode(_ settings: Settings) throws -> RefreshMode {
        try settings.value(refresh, .refresh) ?? .changed
    }
}

extension MarketArguments {
    /// How the client talks to a market.
    ///
    /// - Parameters:
    ///   - target: the market.
    ///   - settings: what the environment says.
    ///   - itemSecrets: the passwords of single products (v1), by reference.
    /// - Returns: the client's configuration.
    /// - Throws: ``CommandFailure`` for a variable that cannot be understood.
    func clientConfiguration(
        _ target: MarketTarget,
        settings: Settings,
        itemSecrets: [SecretReference: Secret] = [:]
    ) throws -> ClientConfiguration {
        let timeout = try settings.value(timeout, .timeout)?.duration ?? .seconds(60)
        guard timeout > .zero else {
            throw CommandFailure(.usage, "\(Setting.timeout.flag) has to be longer than nothing")
        }
        return ClientConfiguration(
            url: target.url,
            profile: target.profile,
            credentials: Credentials(
                identifier: target.identifier?.value,
                secret: target.secret.flatMap { $0.isSet ? $0.value : nil },
                itemSecrets: itemSecrets
            ),
            parallelism: try parallelismValue(settings),
            connectTimeout: min(timeout, .seconds(10)),
            idleTimeout: min(timeout, .seconds(30)),
            requestTimeout: timeout,
            pictureHosts: target.pictureHosts,
            userAgent: "openmarket/\(toolVersion)"
        )
    }

    /// How many requests at once.
    func parallelismValue(_ settings: Settings) throws -> Int {
        try settings.value(parallelism, .parallelism)?.value ?? Parallelism.standard
    }
}
