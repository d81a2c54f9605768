import OpenMarket
import OpenMarketClient
import OpenMarketWorkflow

extension PlanningArguments {
    /// Selects among products, such as those of a manifest.
    func filter(among listings: Listings) throws -> KeyFilter {
        let conditions = try conditions.map { try ProductCondition($0) }
        return try choosing.filter().narrowed(by: conditions, in: listings)
    }

    /// Uses the policies if no option overrides them; selects among the manifest's products.
    ///
    /// For an edited manifest, only the changes of the edit are planned, which are selected already.
    func options(
        policies: Policies,
        of manifest: Manifest,
        edited: EditedManifest? = nil
    ) throws -> PlannerOptions {
        if !recreate.isEmpty, refresh == .nothing {
            throw CommandFailure(
                .usage,
                "--recreate reads the products, and --refresh none does not"
            )
        }
        var options = PlannerOptions.standard
        options.adopts = adopt
        options.filter = edited == nil ? try filter(among: manifest.listings) : try choosing.filter()
        options.replaced = KeyPatterns(recreate)
        options.deletes = !noDelete
        options.policies = PolicyExceptions(bounds: policyBounds).applied(to: policies)
        options.allowsEmptyManifest = allowEmpty
        options.allowsNamesakes = allowNamesakes
        options.maximumGone = maxGone
        options.allowsGoneFiles = maxDelete != nil
        options.editedFields = edited?.fields
        options.oldStocks = edited?.oldStocks ?? []
        if let onDrift { options.handleAllDrift(onDrift) }
        return options
    }

    /// The policies that have a separate overriding option.
    var policyBounds: [PolicyExceptions.Bound] {
        let bounds: [PolicyExceptions.Bound?] = [
            maxDelete.map { .maximumDelete($0) }, maxPriceChange,
            minPrice, allowCurrencyChange ? .currencyChange : nil,
            allowStockToZero ? .stockToZero : nil,
            allowZeroPrice ? .zeroPrice : nil,
        ]
        return bounds.compactMap(\.self)
    }

    /// Checks that standard input is read for one purpose only; otherwise throws ``CommandFailure`` with exit 64.
    func requireOwnInput(beside manifests: [String]) throws {
        guard choosing.targetFile == "-", manifests.contains("-") else { return }
        throw CommandFailure(
            .usage,
            "standard input cannot be both a manifest and --target-file",
            help: "put one of them into a file"
        )
    }
}

extension ChoosingArguments {
    func filter(in flags: Set<String> = ["--target", "--target-file", "--exclude"]) throws -> KeyFilter {
        KeyFilter(
            targets: flags.contains("--target") ? target : [],
            keys: flags.contains("--target-file") ? try targetFile.map(KeyList.read) : nil,
            exclusions: flags.contains("--exclude") ? exclude : []
        )
    }
}

extension DecisionArguments {
    /// The saved plan without rejected and unchosen operations, and the record of the decisions.
    ///
    /// Variables that choose products are for planning, so only the command line counts.
    func decide(
        _ saved: SavedPlan,
        _ choosing: ChoosingArguments,
        _ console: Console
    ) throws -> (plan: SavedPlan, decisions: RunDecisions?) {
        let filter = try choosing.filter(in: Invocation.current.given)
        for pattern in filter.unmatched(in: saved.plan.keys) {
            let words = "no operation of the plan has a key like '\(pattern.terminalSafe)'"
            guard pattern.contains(where: { "*?".contains($0) }) else {
                throw CommandFailure(.usage, words, help: "`openmarket show` lists its operations")
            }
            console.note("warning: \(words)")
        }
        guard let decisions else { return (saved.decided(by: filter), nil) }
        let decided = try saved.decided(byFile: decisions)
        return (decided.plan.decided(by: filter), decided.decisions)
    }
}

extension MarketArguments {
    /// The configuration of the client; warns if the market's description was not probed.
    ///
    /// Throws ``CommandFailure`` if the market may not be read.
    func clientConfiguration(
        _ target: MarketTarget,
        itemSecrets: [SecretReference: Secret] = [:],
        console: Console
    ) throws -> ClientConfiguration {
        try target.requireReadable(acceptsPlainHTTP: insecureHTTP)
        let profile = target.profile
        if !profile.isBuiltIn, profile.probed == nil {
            console.printError("\(profile.name.terminalSafe) is described from documentation, not probed")
        }
        let timeout = timeout ?? .seconds(60)
        var configuration = ClientConfiguration(
            url: target.url,
            profile: profile,
            credentials: Credentials(
                identifier: target.identifier?.value,
                secret: target.secret.flatMap { $0.isSet ? $0.value : nil },
                itemSecrets: itemSecrets
            )
        )
        configuration.parallelism = parallelism ?? Parallelism.standard
        configuration.connectTimeout = min(timeout, .seconds(10))
        configuration.idleTimeout = min(timeout, .seconds(30))
        configuration.requestTimeout = timeout
        configuration.pictureHosts = target.pictureHosts
        configuration.userAgent = "openmarket/\(toolVersion)"
        configuration.allowsInsecureHTTP = insecureHTTP
        configuration.onWaiting = { error, wait in
            let seconds = wait.components.seconds
            let what = seconds < 10 ? "does not answer; waiting for it" : "is tried again in \(seconds) s"
            console.note("The market \(what): \(error.message.terminalSafe)")
        }
        return configuration
    }
}
