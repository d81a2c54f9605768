import ArgumentParser

/// How the value of an option is written: how its text is read, and what to write instead of one that is wrong.
struct ValueForm<Value: Sendable>: Sendable {
    /// What to write instead of a text that is not a value.
    struct Advice: Error, CustomStringConvertible {
        let description: String
    }

    /// What the help calls the value.
    let name: String
    /// What a shell completes it with.
    let completion: CompletionKind
    private let read: @Sendable (String) throws(Advice) -> Value

    /// - Parameters:
    ///   - form: what a value looks like: `a time, such as 30s`.
    ///   - name: what the help calls it.
    ///   - completion: what a shell completes it with.
    ///   - instead: what to write instead of a text that is probably meant for a value.
    ///   - read: the value that a text says; `nil` where it says none.
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

    /// A form whose texts are read by what says itself what to write instead of a wrong one.
    init(_ name: String, reading read: @escaping @Sendable (String) throws -> Value) {
        self.name = name
        completion = .default
        self.read = { text throws(Advice) in
            do { return try read(text) } catch { throw Advice(description: "\(error)") }
        }
    }

    /// The value that a text says.
    func value(of text: String) throws(Advice) -> Value { try read(text) }
}

extension Option {
    /// An option for a setting, which may be left out, whose value has a form of its own.
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

    /// An option for a setting, which may be repeated, whose values have a form of their own.
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
