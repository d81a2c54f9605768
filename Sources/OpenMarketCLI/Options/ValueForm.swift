import ArgumentParser

/// The form of an option's value: how to read its text, and what to suggest for a wrong one.
struct ValueForm<Value: Sendable>: Sendable {
    /// A suggestion for a text that is not a value.
    struct Advice: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    let completion: CompletionKind
    private let read: @Sendable (String) throws(Advice) -> Value

    /// A form described by a phrase such as `a time, such as 30s`.
    ///
    /// `instead` suggests a correction for a text that was probably meant as a value. `read` returns `nil` if the text
    /// is not a value.
    init(
        _ form: String,
        _ name: String,
        completion: CompletionKind = .default,
        instead: @escaping @Sendable (String) -> String? = { _ in nil },
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.completion = completion
        self.read = { text throws(Advice) in
            guard let value = read(text) else { throw Advice(description: instead(text) ?? "write \(form)") }
            return value
        }
    }

    /// A form whose reader throws its own suggestion for a wrong text.
    init(_ name: String, reading read: @escaping @Sendable (String) throws -> Value) {
        self.name = name
        completion = .default
        self.read = { text throws(Advice) in
            do { return try read(text) } catch { throw Advice(description: "\(error)") }
        }
    }

    func value(of text: String) throws(Advice) -> Value { try read(text) }
}

extension Option {
    init<T>(
        _ setting: Setting,
        _ help: String,
        as form: ValueForm<T>
    ) where Value == T? {
        self.init(
            name: .setting(setting),
            help: ArgumentHelp(help, valueName: form.name),
            completion: form.completion
        ) { try form.value(of: $0) }
    }

    init<T>(
        wrappedValue: [T],
        _ setting: Setting,
        _ help: String,
        as form: ValueForm<T>
    ) where Value == [T] {
        self.init(
            wrappedValue: wrappedValue,
            name: .setting(setting),
            help: ArgumentHelp(help, valueName: form.name),
            completion: form.completion
        ) { try form.value(of: $0) }
    }
}
