package import OpenMarket
import YAML

/// The faults that prevent creating a profile from a document and values.
package struct MarketProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document's faults, in the order of the text.
    var faults: [Problem]
    package var parameterFaults: [ParameterFault]

    /// All faults, one sentence each.
    package var description: String {
        (faults.map(\.description) + parameterFaults.map(\.message)).joined(separator: "; ")
    }
}

package struct ParameterFault: Hashable, Sendable {
    package var name: String
    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// A remedy; `nil` if the message suffices.
    package var help: String?

    package enum Kind: Hashable, Sendable {
        /// The description declares no parameter with that name.
        case unknown
        /// The description declares the parameter, but its value is missing.
        case missing
        case value
    }
}

extension MarketProfile {
    /// Creates the market of a YAML description, whose parameters are filled by name.
    ///
    /// The ``MarketProfileError`` contains all faults.
    package init(document: [UInt8], parameters: [String: String] = [:]) throws(MarketProfileError) {
        let loaded = MarketDescriptionLoader.load(document)
        guard let description = loaded.description else {
            throw MarketProfileError(faults: loaded.faults, parameterFaults: [])
        }
        let faults = description.faults(in: parameters)
        guard faults.isEmpty else { throw MarketProfileError(faults: [], parameterFaults: faults) }
        self.init(description, document: document, digest: loaded.digest, parameters: parameters)
    }

    /// Creates the market of a parsed description; a copy of a built-in description yields the built-in market.
    ///
    /// ``MarketDescription/faults(in:)`` reports faults of the parameters.
    package init(
        _ description: MarketDescription,
        document: [UInt8],
        digest: ContentDigest,
        parameters: [String: String]
    ) {
        if let builtIn = BuiltInMarket.allCases.first(where: { $0.document == document }) {
            self = builtIn.profile
        } else {
            self.init(description, document: document, digest: digest, parameters: parameters, builtIn: nil)
        }
    }

    init(
        _ description: MarketDescription,
        document: [UInt8],
        digest: ContentDigest,
        parameters: [String: String],
        builtIn: BuiltInMarket?
    ) {
        var capabilities = description.capabilities(parameters)
        // The description of a user may be wrong about the members that an update preserves.
        capabilities.readsBeforeUpdating = builtIn == nil && capabilities.showsDetails
        self.init(
            name: description.name,
            described: description,
            document: document,
            digest: digest,
            parameters: parameters,
            probed: description.probed,
            isBuiltIn: builtIn != nil,
            pictureFolders: builtIn?.pictureFolders ?? [],
            capabilities: capabilities,
            limits: ProductLimits(of: description, parameters)
        )
    }
}

extension MarketDescription: DescribedMarket {
    package init(of profile: MarketProfile) {
        // Every description has this type.
        guard let description = profile.described as? MarketDescription else {
            preconditionFailure("\(profile.name) has no description")
        }
        self = description
    }

    /// Faults of the parameter values: undeclared ones by name, then declared ones in the description's order.
    package func faults(in values: [String: String]) -> [ParameterFault] {
        let names = parameters.map(\.name)
        let unknown = values.keys.filter { !names.contains($0) }.sorted().map { name in
            let near = Suggestion.nearest(to: name, in: names)
            return ParameterFault(
                name: name,
                kind: .unknown,
                message: "'\(name.excerpt)' is not a parameter of \(self.name)",
                help: near.map { "did you mean '\($0)'?" }
                    ?? (names.isEmpty
                        ? "its description declares none" : "its parameters are \(names.joined(separator: ", "))")
            )
        }
        // A misspelt name is not also reported as missing.
        let meant = Set(unknown.compactMap { Suggestion.nearest(to: $0.name, in: names) })
        return unknown
            + parameters.compactMap { parameter in
                guard let value = values[parameter.name] else {
                    guard !meant.contains(parameter.name) else { return nil }
                    let about = parameter.value.about.map { " (\($0))" } ?? ""
                    return ParameterFault(
                        name: parameter.name,
                        kind: .missing,
                        message: "\(name) needs the parameter '\(parameter.name)'\(about)"
                    )
                }
                return parameter.value.kind.fault(of: value).map { fault in
                    ParameterFault(
                        name: parameter.name,
                        kind: .value,
                        message: "the parameter '\(parameter.name)' \(fault)"
                    )
                }
            }
    }
}

extension MarketDescription.Parameter.Kind {
    /// The longest text, in bytes.
    static let longestText = 512

    /// Why a value is not of this kind, phrased to follow its name; `nil` if it is.
    func fault(of value: String) -> String? {
        switch self {
        case .slug:
            guard TextForm.slug.takes(value) else {
                return "must be 1 to 128 letters, digits, '.', '_', '~' or '-', and not '\(value.excerpt)'"
            }
            return value == "." || value == ".." ? "must not be '\(value)', which leads to another path" : nil
        case .code:
            let isCode = Currency(rawValue: value).isStandard
            return isCode ? nil : "must be a currency code of ISO 4217 such as KRW, and not '\(value.excerpt)'"
        case .text:
            guard !value.isEmpty else { return "must not be empty" }
            guard value.utf8.count <= Self.longestText else {
                return "has \(value.utf8.count) bytes, and \(Self.longestText) are the most"
            }
            return TextForm.value.takes(value) ? nil : "must be one line of text"
        }
    }
}
