package import OpenMarket
package import OpenMarketDescription

extension MarketCheck {
    /// The check as a document for programs.
    package var report: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("valid", .bool(diagnostics.isEmpty)),
            ("file", .string(file)),
            ("sha256", .string(digest.hexadecimal)),
            ("diagnostics", .array(diagnostics.map { JSONValue($0) })),
            ("description", market.map { JSONValue($0) })
        )
    }
}

extension MarketCheck {
    package func source(named name: String) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("name", .string(name)),
            ("sha256", .string(digest.hexadecimal)),
            ("description", .string(String(decoding: document, as: UTF8.self)))
        )
    }
}

extension BuiltInMarket {
    package static var list: JSONValue {
        let markets = allCases.map { market in
            JSONValue.object(
                of: ("name", .string(market.rawValue)),
                ("about", market.described.about.map { .string($0) }),
                ("sha256", .string(market.profile.digest.hexadecimal))
            )
        }
        return .object(of: ("format_version", .formatVersion), ("markets", .array(markets)))
    }
}

extension JSONValue {
    init(_ market: MarketDescription) {
        let capabilities = market.capabilities()
        let proofs = market.proofs
        self = .object(
            of: ("name", .string(market.name)),
            ("about", market.about.map(JSONValue.string)),
            ("probed", market.probed.map(JSONValue.string)),
            ("parameters", .array(market.parameters.map { JSONValue($0) })),
            (
                "credentials",
                .object(
                    of: ("reading", .array(capabilities.credentialsForReading.keys.map(JSONValue.string))),
                    ("writing", .array(capabilities.credentialsForWriting.keys.map(JSONValue.string)))
                )
            ),
            (
                "fields",
                .object(
                    of: ("rows", .names(market.rowFields)),
                    ("details", .names(market.detailFields)),
                    ("sent", .names(market.writtenFields)),
                    ("cleared", .names(market.clearableFields)),
                    ("normalised", .names(market.echoedFields))
                )
            ),
            (
                "capabilities",
                .array(
                    Capability.allCases.map { capability in
                        let obstacles = capability.obstacles(in: market)
                        return .object(
                            of: ("name", .string(capability.rawValue)),
                            ("possible", .bool(obstacles.isEmpty)),
                            ("reasons", obstacles.isEmpty ? nil : .array(obstacles.map(JSONValue.string)))
                        )
                    }
                )
            ),
            (
                "proofs",
                .array(
                    proofs.attempts.map { .object(of: ("name", .string($0.rawValue)), ("possible", .bool(true))) }
                        + proofs.others.map {
                            .object(
                                of: ("name", .string($0.proof.rawValue)),
                                ("possible", .bool(false)),
                                ("reasons", .array($0.reasons.map(JSONValue.string)))
                            )
                        }
                )
            ),
            ("grades", .array(market.grades.map { .string($0.rawValue) })),
            ("endpoints", .array(market.requestForms([:]).map { JSONValue($0) }))
        )
    }

    fileprivate init(_ parameter: NamedValue<String, MarketDescription.Parameter>) {
        self = .object(
            of: ("name", .string(parameter.name)),
            ("as", .string(parameter.value.kind.rawValue)),
            ("about", parameter.value.about.map(JSONValue.string))
        )
    }

    fileprivate init(_ request: RequestForm) {
        func list(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .array(texts.map(JSONValue.string)) }
        self = .object(
            of: ("operation", .string(request.operation.rawValue)),
            ("method", .string(request.method.rawValue)),
            ("address", .string(request.address)),
            ("headers", list(request.headers)),
            ("constants", list(request.constants)),
            ("places", list(request.places)),
            ("hidden", list(request.hidden))
        )
    }

    private static func names(_ fields: [MarketDescription.Fields.Name]) -> JSONValue {
        .array(fields.map { .string($0.rawValue) })
    }
}
