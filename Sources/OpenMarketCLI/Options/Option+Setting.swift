import ArgumentParser

extension Option {
    init<T: ExpressibleByArgument>(
        _ setting: Setting,
        short: Character? = nil,
        _ help: String,
        value: ValueHelp? = nil
    ) where Value == T? {
        self.init(
            name: .setting(setting, short: short),
            help: ArgumentHelp(help, valueName: value?.name),
            completion: value?.completion
        )
    }

    init<T: ExpressibleByArgument>(
        wrappedValue: [T],
        _ setting: Setting,
        short: Character? = nil,
        _ help: String,
        value: ValueHelp? = nil
    ) where Value == [T] {
        self.init(
            wrappedValue: wrappedValue,
            name: .setting(setting, short: short),
            help: ArgumentHelp(help, valueName: value?.name),
            completion: value?.completion
        )
    }
}

extension Flag<Bool> {
    init(wrappedValue: Bool, _ setting: Setting, short: Character? = nil, _ help: String) {
        self.init(wrappedValue: wrappedValue, name: .setting(setting, short: short), help: ArgumentHelp(help))
    }
}

/// The placeholder that the help shows for an option's value, and how a shell completes it.
struct ValueHelp: ExpressibleByStringLiteral {
    var name: String
    /// `nil` for the completion of the value's type.
    var completion: CompletionKind?

    init(stringLiteral name: String) { self.name = name }

    private init(_ name: String, _ completion: CompletionKind) {
        self.name = name
        self.completion = completion
    }

    /// The path of a file, with one of the given endings, if any.
    static func file(named name: String = "file", _ endings: String...) -> ValueHelp {
        ValueHelp(name, .file(extensions: endings))
    }

    static var folder: ValueHelp { ValueHelp("folder", .directory) }
}
