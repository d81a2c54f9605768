import OpenMarket

/// The settings of a command: flag, else environment variable, else default.
///
/// The manifest comes between the last two where it has a say.
///
/// Every flag `--some-name` has the variable `OPENMARKET_SOME_NAME`.
struct Settings: Sendable {
    let environment: [String: String]

    /// A flag's value, or its variable's.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 when the variable holds what the flag would not take.
    func value<Value>(_ flag: Value?, _ name: String, parse: (String) -> Value?) throws -> Value? {
        if let flag { return flag }
        let variable = Self.variable(of: name)
        guard let text = environment[variable], !text.isEmpty else { return nil }
        guard let value = parse(text) else {
            throw CommandFailure(.usage, "\(variable): '\(text)' is not a value that --\(name) takes")
        }
        return value
    }

    /// A text flag's value, or its variable's.
    func text(_ flag: String?, _ name: String) throws -> String? {
        try value(flag, name) { $0 }
    }

    /// A list flag's values, or its variable's, which are separated by commas.
    func list(_ flags: [String], _ name: String) -> [String] {
        guard flags.isEmpty, let text = environment[Self.variable(of: name)], !text.isEmpty else { return flags }
        return text.split(separator: ",").map(String.init)
    }

    /// A switch, or its variable: `1`, `true` or `yes` turn it on.
    func isOn(_ flag: Bool, _ name: String) throws -> Bool {
        if flag { return true }
        return try value(nil, name) { text in
            switch text.lowercased() {
            case "1", "true", "yes", "on": true
            case "0", "false", "no", "off": false
            default: nil
            }
        } ?? false
    }

    private static func variable(of name: String) -> String {
        "OPENMARKET_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
