import ArgumentParser
import OpenMarket
import OpenMarketManifest
import OpenMarketServer
import OpenMarketWorkflow

/// How an option parses its value, and how the help shows it.
struct ValueForm<Value: Sendable>: Sendable {
    let name: String
    let completion: CompletionKind
    let value: @Sendable (String) throws -> Value

    /// `form` describes accepted texts: `a time, such as 30s`.
    ///
    /// `read` returns `nil` for another text, or throws an error that describes accepted texts instead.
    init(
        _ form: String,
        _ name: String,
        completion: CompletionKind = .default,
        read: @escaping @Sendable (String) throws -> Value?
    ) {
        self.name = name
        self.completion = completion
        value = { text in
            guard let value = try read(text) else { throw ValidationError("write \(form)") }
            return value
        }
    }
}

extension Option {
    init<T>(name: NameSpecification = .long, help: ArgumentHelp, as form: ValueForm<T>) where Value == T? {
        self.init(name: name, help: help.naming(form.name), completion: form.completion, transform: form.value)
    }

    init<T>(
        wrappedValue: [T],
        name: NameSpecification = .long,
        help: ArgumentHelp,
        as form: ValueForm<T>
    ) where Value == [T] {
        self.init(
            wrappedValue: wrappedValue,
            name: name,
            help: help.naming(form.name),
            completion: form.completion,
            transform: form.value
        )
    }
}

extension ArgumentHelp {
    fileprivate func naming(_ value: String) -> ArgumentHelp {
        var help = self
        help.valueName = value
        return help
    }
}

extension ValueForm<String> {
    static func text(_ name: String, completion: CompletionKind = .default) -> Self {
        Self("a text", name, completion: completion) { $0 }
    }

    /// The path of a file, with one of these endings, if any.
    static func file(named name: String = "file", _ endings: String...) -> Self {
        text(name, completion: .file(extensions: endings))
    }

    static var folder: Self { text("folder", completion: .directory) }

    /// The origin of another site's pages: `https://app.example`.
    static var origin: Self {
        Self(
            "each origin in full, as browsers do: https://app.example or http://localhost:5173; or give * alone, for all",
            "origin"
        ) { ServerConfiguration.takesOrigin($0) ? $0 : nil }
    }
}

extension ValueForm<Policies.Bound> {
    /// A number of products, or a share of them: `5`, `30%`.
    static var bound: Self {
        Self("a number of products, such as 5, or a share of them, such as 30%", "n|%") { Policies.Bound($0) }
    }
}

extension ValueForm<PolicyExceptions.Bound> {
    /// A percentage, or `none` for no limit: `50%`.
    static var maximumPriceChange: Self {
        Self("a percentage, such as 50%, or none for no bound", "%") { text in
            guard text != "none" else { return .maximumPriceChange(nil) }
            return ExactDecimal.basisPoints(text).map { .maximumPriceChange($0) }
        }
    }

    /// An amount of money, or `none` for no limit: `1000`, `0.99`.
    static var minimumPrice: Self {
        Self("an amount without separators, such as 1000 or 0.99, or none for no bound", "price") { text in
            guard text != "none" else { return .minimumPrice(nil) }
            guard let price = ExactDecimal(text), !price.isNegative else { return nil }
            return .minimumPrice(price)
        }
    }
}

extension ValueForm<Duration> {
    /// A time: `30`, `1.5`, `500ms`, `30s`, `5m`, `1h`.
    static var duration: Self { Self("a time, such as 500ms, 30s, 5m or 1h", "time") { Duration($0) } }

    /// A time greater than zero.
    static var positiveDuration: Self {
        Self("a time longer than 0, such as 500ms, 30s, 5m or 1h", "time") { text in
            Duration(text).flatMap { $0 > .zero ? $0 : nil }
        }
    }
}

extension ValueForm<Double> {
    /// Requests per second: `5`, `0.5`, `10/s`.
    static var rate: Self {
        Self("a number of requests per second, from 0.001 to 100000, such as 10 or 0.5", "n/s") { text in
            let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
            return Double(number).flatMap { Throttle.rates.contains($0) ? $0 : nil }
        }
    }
}

extension ValueForm where Value: FixedWidthInteger {
    /// A whole number, not negative unless `least` is.
    static func number(from least: Value = 0, to most: Value? = nil, called name: String = "n") -> Self {
        let range = most.map { " from \(least) to \($0)" } ?? (least == 0 ? "" : " from \(least) on")
        return Self("a whole number\(range)", name) { text in
            Value(text).flatMap { (least...(most ?? .max)).contains($0) ? $0 : nil }
        }
    }
}

extension ValueForm<Int64> {
    /// A number of bytes: `0`, `500kB`, `200MB`, `2GB`.
    static var byteCount: Self {
        Self("a size, such as 0, 200MB or 2GB", "size") { text in
            let units: [(String, Int64)] = [("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("", 1)]
            guard let unit = units.first(where: { text.hasSuffix($0.0) }),
                let number = Int64(text.dropLast(unit.0.count)),
                number >= 0
            else { return nil }
            let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit.1)
            return isTooLarge ? nil : bytes
        }
    }
}

extension ValueForm<Int> {
    static var parallelism: Self {
        number(from: Parallelism.range.lowerBound, to: Parallelism.range.upperBound)
    }
}

extension ValueForm<UInt16> {
    static var port: Self { Self("a port, which is a number from 0 to 65535", "port") { UInt16($0) } }
}

extension ValueForm<MarketReference> {
    /// A built-in market's name, or the path of a description.
    static var market: Self {
        Self(
            "\(MarketReference.words), such as ./shop.market.yaml",
            "name|path",
            completion: .file(extensions: ["yaml", "yml"])
        ) { MarketReference($0) }
    }
}

extension ValueForm<Currency> {
    static var currency: Self {
        Self(
            "a code of ISO 4217, such as KRW, USD or JPY",
            "currency",
            completion: .list(Currency.known.map(\.rawValue))
        ) { Currency(standardCode: $0) }
    }
}

extension ValueForm<ShopSeed> {
    /// The contents of a new shop: a number of products, or the name of an example.
    static var seed: Self {
        Self("a number from 1 to \(ShopSeed.largest), or korean-shop", "n|korean-shop") { ShopSeed($0) }
    }
}

extension ValueForm<[ServedProfile]> {
    static var profiles: Self {
        Self("one of v1a, v1b, v2a and v2b, or two, such as v2b,v1b", "profiles") { ServedProfile.list($0) }
    }
}

struct MarketParameter {
    let name: String
    let value: String
}

extension ValueForm<MarketParameter> {
    /// A parameter's name and its value: `event=tour`.
    static var parameter: Self {
        Self("a parameter's name and its value, such as event=tour", "name=value") { text in
            guard let end = text.firstIndex(of: "="), end != text.startIndex else { return nil }
            return MarketParameter(name: String(text[..<end]), value: String(text[text.index(after: end)...]))
        }
    }
}

extension ValueForm<ContentDigest> {
    /// A SHA-256: `sha256:` and 64 hexadecimal digits, as these commands print it.
    static func digest(printedBy commands: String) -> Self {
        Self("sha256: and 64 hexadecimal digits, as \(commands) them", "sha256:digits") {
            ContentDigest(named: $0)
        }
    }
}

extension ValueForm<UInt8> {
    /// The separator of CSV values; the names work unquoted in a shell.
    static var separator: Self {
        let separators = [
            "comma": UInt8(ascii: ","), ",": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), ";": UInt8(ascii: ";"),
        ]
        return Self("comma or semicolon", "name", completion: .list(["comma", "semicolon"])) { separators[$0] }
    }
}

extension ValueForm<[CatalogColumn]> {
    /// The columns of a table: `id,name,price`.
    static var columns: Self {
        let names = CatalogColumn.allCases.map(\.rawValue).joined(separator: ", ")
        return Self("names with commas between them, each once, of \(names)", "names") { try? CatalogColumn.list($0) }
    }
}

extension ValueForm<ServedProfile> {
    /// A profile of a server: `v2b`.
    static var profile: Self { Self("one of v1a, v1b, v2a and v2b", "profile") { ServedProfile(name: $0) } }
}

extension RefreshMode: ExpressibleByArgument {}
extension PlannerOptions.DriftHandling: ExpressibleByArgument {}
extension TableEdits.Side: ExpressibleByArgument {}
extension ExportFormat: ExpressibleByArgument {}
