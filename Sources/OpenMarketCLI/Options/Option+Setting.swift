import ArgumentParser

extension Option {
    /// An option for a setting, which may be left out.
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

    /// An option for a setting, which may be repeated.
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
    /// A switch for a setting.
    init(wrappedValue: Bool, _ setting: Setting, short: Character? = nil, _ help: String) {
        self.init(wrappedValue: wrappedValue, name: .setting(setting, short: short), help: ArgumentHelp(help))
    }
}

/// What the help calls the value of an option, and what a shell completes it with.
struct ValueHelp: ExpressibleByStringLiteral {
    var name: String
    /// `nil` for what the type of the value says.
    var completion: CompletionKind?

    init(stringLiteral name: String) { self.name = name }

    private init(_ name: String, _ completion: CompletionKind) {
        self.name = name
        self.completion = completion
    }

    /// The path of a file, with one of some endings if any are given.
    static func file(named name: String = "file", _ endings: String...) -> ValueHelp {
        ValueHelp(name, .file(extensions: endings))
    }

    /// The path of a folder.
    static var folder: ValueHelp { ValueHelp("folder", .directory) }
}
