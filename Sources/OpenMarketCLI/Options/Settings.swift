import ArgumentParser
import FoundationEssentials
import OpenMarket

/// The settings of a command: flag, else environment variable, else default.
///
/// The manifest comes between the last two where it has a say.
///
/// Every flag has a variable: see ``Setting``.
struct Settings: Sendable {
    let environment: [String: String]

    /// The settings of this process.
    static var current: Settings { Settings(environment: ProcessInfo.processInfo.environment) }

    /// A flag's value, or its variable's.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 when the variable holds what the flag would not take.
    func value<Value: ExpressibleByArgument>(_ flag: Value?, _ setting: Setting) throws -> Value? {
        try flag
            ?? variable(setting, help: (Value.self as? any FormedValue.Type)?.help, parse: Value.init(argument:))
    }

    /// A text flag's value, or its variable's.
    func text(_ flag: String?, _ setting: Setting) throws -> String? {
        try value(flag, setting)
    }

    /// A URL's flag, or its variable, in the URL's one spelling.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 when it is not a URL of a market.
    func url(_ flag: String?, _ setting: Setting, insteadOfCredentials: String? = nil) throws -> String? {
        guard let text = try text(flag, setting) else { return nil }
        do throws(MarketURL.Fault) {
            return try MarketURL(text).description
        } catch {
            let help = error.holdsCredentials ? insteadOfCredentials ?? error.help : error.help
            throw CommandFailure(.usage, "\(setting.flag) \(error.message)", help: help)
        }
    }

    /// A list flag's values, or its variable's, which are separated by commas.
    func list(_ flags: [String], _ setting: Setting) -> [String] {
        guard flags.isEmpty, let text = environment[setting.variable], !text.isEmpty else { return flags }
        return text.split(separator: ",").map(String.init)
    }

    /// A switch, or its variable: `1`, `true` or `yes` turn it on.
    func isOn(_ flag: Bool, _ setting: Setting) throws -> Bool {
        if flag { return true }
        return try variable(setting, help: { _ in "write 1 or 0, true or false, yes or no" }) { text in
            switch text.lowercased() {
            case "1", "true", "yes", "on": true
            case "0", "false", "no", "off": false
            default: nil
            }
        } ?? false
    }

    /// The variable's value, where it is set.
    private func variable<Value>(
        _ setting: Setting,
        help: ((String) -> String)? = nil,
        parse: (String) -> Value?
    ) throws -> Value? {
        guard let text = environment[setting.variable], !text.isEmpty else { return nil }
        guard let value = parse(text) else {
            throw CommandFailure(
                .usage,
                "\(setting.variable): '\(text)' is not a value that \(setting.flag) takes",
                help: help?(text)
            )
        }
        return value
    }
}
