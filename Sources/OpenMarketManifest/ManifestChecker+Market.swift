import OpenMarket
import OpenMarketDescription
import OpenMarketFiles

/// Chooses the market of a run: options win over the environment, the environment over the manifest.
extension ManifestChecker {
    private struct NamedMarket {
        var reference: MarketReference
        /// The position in the manifest; `nil` if an option or a variable defines the market.
        var place: ManifestSections.Place?
    }

    /// Finds the market's description, and applies its parameters.
    mutating func settleProfile() {
        guard let named = namedMarket() else { return }
        var values = sections.parameters
        switch named.reference {
        case .builtIn(let profile):
            market.profile = profile
            guard named.place != nil else { return }
            report(MarketDescription(of: profile).faults(in: values), at: named)
        case .file(let path):
            guard let file = readDescription(path, named), let description = file.description else {
                isMarketUnreadable = true
                return
            }
            // The manifest's parameters apply only to the description that the manifest refers to.
            if named.place == nil {
                let declared = Set(description.parameters.map(\.name))
                values = values.filter { declared.contains($0.key) }
            }
            values.merge(options.parameters) { _, given in given }
            report(description.faults(in: values).filter { !isUnset($0) }, at: named)
            market.profile = MarketProfile(
                description,
                document: file.document,
                digest: file.digest,
                parameters: values
            )
            market.descriptionFile = FileSystem.resolved(file.path) ?? file.path
            self.description = file
        }
    }

    private mutating func namedMarket() -> NamedMarket? {
        if let reference = options.marketOverride { return NamedMarket(reference: reference) }
        if let text = options.variable("OPENMARKET_API") {
            if let reference = MarketReference(text) { return NamedMarket(reference: reference) }
            log.add(
                .error,
                .choice,
                "OPENMARKET_API must be \(MarketReference.words)",
                help: MarketReference.help(for: text)
            )
            return nil
        }
        return sections.api.map { NamedMarket(reference: $0, place: places["market.api"]) }
    }

    /// Reads a description, and reports its faults at its own lines.
    private mutating func readDescription(_ path: String, _ named: NamedMarket) -> DescriptionFile? {
        let folder = named.place.map { log.sources[$0.file].folder } ?? "."
        let isBare = folder == "." || path.utf8.first == UInt8(ascii: "/")
        let tail = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        let file: DescriptionFile
        do throws(FileError) {
            file = try DescriptionFile(isBare ? path : FileSystem.path(of: tail, in: folder))
        } catch {
            log.add(
                .error,
                .unreadableFile,
                error.description,
                file: named.place?.file ?? -1,
                span: named.place?.value,
                path: "market.api",
                help: error.help
            )
            return nil
        }
        for diagnostic in file.diagnostics { log.add(diagnostic) }
        return file
    }

    /// Whether a parameter is missing because of an unset variable, which this command allows.
    private func isUnset(_ fault: ParameterFault) -> Bool {
        fault.kind == .missing && sections.unsetParameters.contains(fault.name)
    }

    private mutating func report(_ faults: [ParameterFault], at named: NamedMarket) {
        for fault in faults {
            let path = "market.parameters.\(fault.name)"
            let written = options.parameters[fault.name] == nil ? places[path] : nil
            let place = written ?? (fault.kind == .missing ? named.place : nil)
            log.add(
                .error,
                .marketParameter,
                fault.message,
                file: place?.file ?? -1,
                span: fault.kind == .unknown ? place?.key : place?.value,
                path: path,
                help: fault.help
                    ?? (fault.kind == .missing ? "fill it in 'market.parameters' or with --market-parameter" : nil)
            )
        }
    }

    /// Reports credentials in the market's description and name, which are shown, saved, and part of URLs.
    mutating func reportMarketCredentials() {
        for (name, value) in sections.parameters.sorted(by: { $0.key < $1.key }) where credentials.isHeld(by: value) {
            let path = "market.parameters.\(name)"
            if let place = places[path] { reportCredential(file: place.file, span: place.value, path: path) }
        }
        for (name, value) in options.parameters.sorted(by: { $0.key < $1.key }) where credentials.isHeld(by: value) {
            log.add(
                .error,
                .credentialInText,
                "the parameter '\(name)' holds a credential of the market",
                path: "market.parameters.\(name)",
                help: Self.credentialHelp
            )
        }
        if let description, credentials.isHeld(by: String(decoding: description.document, as: UTF8.self)) {
            log.add(
                .error,
                .credentialInText,
                "\(description.path) holds a credential of the market",
                path: "market.api",
                help: "a description places credentials in requests, and must not hold them"
            )
        }
    }
}
