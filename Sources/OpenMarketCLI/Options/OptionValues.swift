public import ArgumentParser
public import OpenMarket
import OpenMarketDescription
import OpenMarketManifest
public import OpenMarketServer
import OpenMarketWorkflow

/// A value of an option that knows its own form, to say it where the value is wrong.
protocol FormedValue: ExpressibleByArgument {
    /// What it looks like: `a time, such as 30s`.
    static var form: String { get }

    /// What the help calls it; `nil` where the option's own name says it.
    static var valueName: String? { get }

    /// What to write instead of a wrong value.
    static func help(for value: String) -> String
}

extension FormedValue {
    static var valueName: String? { nil }

    static func help(for value: String) -> String { "write \(form)" }
}

/// A share or a number of products: `5`, `30%`.
extension Policies.Bound: FormedValue {
    static let form = "a number of products, such as 5, or a share of them, such as 30%"
    static let valueName: String? = "n|%"

    static func help(for value: String) -> String { NumberSpelling.shareHelp(for: value) ?? "write \(form)" }

    /// Reads what an option says.
    public init?(argument: String) { self.init(argument) }
}

/// A percentage: `50%`, or `none` for no bound.
struct PercentOption: FormedValue {
    static let form = "a percentage, such as 50%, or none for no bound"
    static let valueName: String? = "%"

    static func help(for value: String) -> String { NumberSpelling.shareHelp(for: value) ?? "write \(form)" }

    /// In hundredths of a percent; `nil` for no bound.
    let basisPoints: Int64?

    init?(argument: String) {
        if argument == "none" {
            basisPoints = nil
            return
        }
        guard let points = ExactDecimal.basisPoints(argument) else { return nil }
        basisPoints = points
    }
}

/// An amount of money: `1000`, `0.99`, or `none` for no bound.
struct AmountOption: FormedValue {
    static let form = "an amount without separators, such as 1000 or 0.99, or none for no bound"
    static let valueName: String? = "price"

    let amount: ExactDecimal?

    init?(argument: String) {
        guard argument != "none" else {
            amount = nil
            return
        }
        guard let value = ExactDecimal(argument), !value.isNegative else { return nil }
        amount = value
    }
}

/// A time: `30`, `1.5`, `500ms`, `30s`, `5m`, `1h`.
struct DurationOption: FormedValue {
    static let form = "a time, such as 500ms, 30s, 5m or 1h"
    static let valueName: String? = "time"

    let duration: Duration

    init?(argument: String) {
        guard let duration = Duration(argument) else { return nil }
        self.duration = duration
    }
}

/// How many requests a second: `5`, `0.5`, `10/s`; its reader checks the range.
struct RateOption: FormedValue {
    static let form = "so many requests a second, such as 10 or 0.5"
    static let valueName: String? = "n/s"

    let perSecond: Double

    init?(argument: String) {
        let number = argument.hasSuffix("/s") ? String(argument.dropLast(2)) : argument
        guard let value = Double(number) else { return nil }
        perSecond = value
    }
}

/// How many requests at once.
struct ParallelismOption: FormedValue {
    static let form = "a whole number from \(Parallelism.range.lowerBound) to \(Parallelism.range.upperBound)"
    static let valueName: String? = "n"

    let value: Int

    init?(argument: String) {
        guard let value = Int(argument), Parallelism.range.contains(value) else { return nil }
        self.value = value
    }
}

/// A number of things that are kept or shown: from 1 on.
struct PositiveOption: FormedValue {
    static let form = "a whole number from 1 on"
    static let valueName: String? = "n"

    let value: Int

    init?(argument: String) {
        guard let value = Int(argument), value > 0 else { return nil }
        self.value = value
    }
}

/// A port of a server.
struct PortOption: FormedValue {
    static let form = "a port, which is a number from 0 to 65535"
    static let valueName: String? = "port"

    let number: UInt16

    init?(argument: String) {
        guard let number = UInt16(argument) else { return nil }
        self.number = number
    }
}

/// A built-in market's name, or the path of a description.
struct MarketOption: FormedValue {
    static let form = MarketReference.words
    static let valueName: String? = "name|path"

    static func help(for value: String) -> String {
        "write \(form), such as ./shop.market.yaml"
    }

    static var defaultCompletionKind: CompletionKind { .file(extensions: ["yaml", "yml"]) }

    let reference: MarketReference

    init?(argument: String) {
        guard let reference = MarketReference(argument) else { return nil }
        self.reference = reference
    }
}

/// A currency of ISO 4217.
extension Currency: FormedValue {
    static let form = "a code of ISO 4217, such as KRW, USD or JPY"
    static let valueName: String? = "currency"

    /// The codes that a shell completes.
    public static var defaultCompletionKind: CompletionKind { .list(known.map(\.rawValue)) }

    /// Reads what an option says.
    public init?(argument: String) {
        self.init(rawValue: argument.uppercased())
        guard isStandard else { return nil }
    }
}

/// What a shop is filled with: a number of products, or the name of an example.
extension ShopSeed: FormedValue {
    static let form = "a number from 1 to \(largest), or korean-shop"
    static let valueName: String? = "n|korean-shop"

    /// Reads what an option says.
    public init?(argument: String) { self.init(argument) }
}

/// The name of a profile that the server speaks.
extension ServedProfile: ExpressibleByArgument {
    /// Nothing that a shell completes: two of the names are only short for others.
    public static var defaultCompletionKind: CompletionKind { .default }

    /// The names that the help lists.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) + ["v1", "v2"] }

    /// Reads what an option says.
    public init?(argument: String) { self.init(name: argument) }
}

/// The profiles of a server: `v2b,v1b`.
struct ProfilesOption: FormedValue {
    static let form = "one of v1a, v1b, v2a and v2b, or two, such as v2b,v1b"
    static let valueName: String? = "profiles"

    let profiles: [ServedProfile]

    init?(argument: String) {
        guard let profiles = ServedProfile.list(argument) else { return nil }
        self.profiles = profiles
    }
}

/// What fills a parameter of a description: `event=tour`.
struct ParameterOption: FormedValue {
    static let form = "a parameter's name and its value, such as event=tour"
    static let valueName: String? = "name=value"

    let name: String
    let value: String

    init?(argument: String) {
        guard let place = argument.firstIndex(of: "="), place != argument.startIndex else { return nil }
        name = String(argument[..<place])
        value = String(argument[argument.index(after: place)...])
    }
}

extension RefreshMode: ExpressibleByArgument {}
extension PlannerOptions.DriftHandling: ExpressibleByArgument {}
extension CatalogOutput: ExpressibleByArgument {}

/// What separates the values of CSV: `,` or `;`, or their names, which need no quotes in a shell.
struct SeparatorOption: ExpressibleByArgument {
    let byte: UInt8

    static var allValueStrings: [String] { ["comma", "semicolon"] }

    init?(argument: String) {
        switch argument {
        case ",", "comma": byte = UInt8(ascii: ",")
        case ";", "semicolon": byte = UInt8(ascii: ";")
        default: return nil
        }
    }
}

/// A SHA-256: `sha256:` and 64 hexadecimal digits.
extension ContentDigest: FormedValue {
    static let form = "sha256: and 64 hexadecimal digits, as `plan -o` and `show` say them"
    static let valueName: String? = "sha256:digits"

    /// Reads what an option says.
    public init?(argument: String) { self.init(named: argument) }
}
