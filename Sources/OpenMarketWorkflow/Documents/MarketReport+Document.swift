package import OpenMarket

extension MarketReport {
    package func document(of url: String) -> JSONValue {
        let credentials: (status: String, message: String?) =
            switch credentials {
            case .accepted: ("accepted", nil)
            case .rejected(let why): ("rejected", why)
            case .notTried(let why): ("not_tried", why)
            }
        return .object(
            of: ("format_version", .formatVersion),
            ("url", .string(url)),
            ("profiles", .array(profiles.map { .string($0.name) })),
            ("healthy", isHealthy.map(JSONValue.bool)),
            ("page_ms", .integer(pageMilliseconds)),
            ("page_rows", .integer(pageRows)),
            ("total", total.map { .integer($0) }),
            (
                "credentials",
                .object(
                    of: ("status", .string(credentials.status)),
                    ("message", credentials.message.map(JSONValue.string))
                )
            )
        )
    }
}
