import YAML

/// A market as its file describes it: the requests, and the meaning of the answers.
///
/// It is a value and does no I/O. It names no host and no credential; the manifest does.
package struct MarketDescription: Equatable, Sendable {
    var version = MarketLanguage.version
    /// Part of a state's scope.
    package var name = ""
    /// A description of the market for people.
    package var about: String?
    /// The version of the market against which the description was tried; `nil` if it was not.
    package var probed: String?
    /// The common prefix of all paths.
    var base: Template?
    /// The values that a manifest must provide.
    package var parameters: [NamedValue<String, Parameter>] = []
    package var names = NameMatching.exact
    package var nulls = NullMeaning.unset
    /// Headers of all requests.
    var headers: [NamedValue<String, Template>] = []
    package var auth: [Credential] = []
    package var identity = Identity()
    /// In the order of the file.
    package var fields = Fields()
    package var pictures: Pictures?
    package var list = List()
    package var operations = Operations()
    package var errors = ErrorRules()
    var limits = Limits()

    /// How member names are compared.
    package enum NameMatching: String, ClosedList {
        /// By their bytes.
        case exact
        /// Ignoring case and underscores.
        case loose
    }

    /// The meaning of null, or of a missing member, for a product's value.
    package enum NullMeaning: String, ClosedList {
        /// The value is unset.
        case unset
        /// Every product has one, so the row is damaged.
        case fault
    }

    /// A value that a manifest must provide.
    package struct Parameter: Equatable, Sendable {
        package enum Kind: String, ClosedList {
            /// Letters, digits, `.`, `_`, `~` and `-`: allowed in a path and a pointer.
            case slug
            /// An ISO 4217 code.
            case code
            /// Any text: allowed in a query and a value.
            case text
        }

        package var kind = Kind.slug
        /// A description for people.
        package var about: String?
    }

    func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name }?.value }
}

extension MarketDescription: DescriptionSection {
    static var title: String { "market" }

    static var keys: [SectionKey<MarketDescription>] {
        [
            .required("market", \.version, .version, "The version of the language."),
            .required(
                "name",
                \.name,
                .text(.name),
                "The market's name. States are kept by it; corrections of the file do not change it."
            ),
            .optional("about", \.about, .text(.line), "A line about the market."),
            .optional(
                "probed",
                \.probed,
                .text(.line),
                "The market's version that the description was tested on. Without it every run prints a warning."
            ),
            .optional("base", \.base, .path, "The beginning of all paths."),
            .standard(
                "parameters",
                \.parameters,
                .mapping(.text(.parameter), .section),
                "Values that a manifest has to give. They belong to the state's scope."
            ),
            .standard(
                "names",
                \.names,
                .choice,
                "Whether names of members are compared exactly, or without regard to case and underscores."
            ),
            .standard(
                "nulls",
                \.nulls,
                .choice,
                "The meaning of `null` in a product: no value, or a damaged row."
            ),
            .standard(
                "headers",
                \.headers,
                .mapping(.header, .template(.headerValue)),
                "Headers of all requests."
            ),
            .standard(
                "auth",
                \.auth,
                .list(Credential.shape, most: 8),
                "The place of the credentials in requests."
            ),
            .required("identity", \.identity, .section, "The identity of a product and its vendor."),
            .required("fields", \.fields, .section, "The fields of a product, in the order of sending."),
            .optional("pictures", \.pictures, .section, "The pictures of a product."),
            .required("list", \.list, .section, "How all products are read."),
            .standard("operations", \.operations, .section, "The other requests."),
            .standard("errors", \.errors, .section, "The meaning of refusals."),
            .standard("limits", \.limits, .section, "The limits of a product."),
        ]
    }

    static var refused: [String: String] {
        let host = "a description names no host: the address is 'url' of the manifest's market"
        return [
            "url": host, "host": host, "base_url": host, "server": host, "scheme": host, "port": host,
            "secret":
                "credentials belong in the manifest, and their place in requests in 'auth'",
            "extends": "a description inherits from no other one",
        ]
    }
}

extension MarketDescription.Parameter: DescriptionSection {
    static var title: String { "parameter" }

    static var keys: [SectionKey<Self>] {
        [
            .required(
                "as",
                \.kind,
                .choice,
                "Its type: a slug fits a path and a pointer, a text only a query or a value."
            ),
            .optional("about", \.about, .text(.line), "A line about it."),
        ]
    }
}
