/// A secret's value.
///
/// Prints as `•••` wherever it is interpolated, dumped or reflected.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value, for the request that needs it and nothing else.
    package let revealed: String

    /// Wraps a value.
    package init(_ revealed: String) {
        self.revealed = revealed
    }

    /// The secret in a file: its text without the one line end, LF or CRLF, that editors put behind the last line, and
    /// without a byte order mark.
    package init(content: String) {
        var scalars = content.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        if scalars.last == "\n" {
            scalars.removeLast()
            if scalars.last == "\r" { scalars.removeLast() }
        }
        self.init(String(String.UnicodeScalarView(scalars)))
    }

    /// Compares the bytes, as markets do.
    package static func == (left: Secret, right: Secret) -> Bool { left.revealed.isExactly(right.revealed) }

    /// Always `•••`.
    package var description: String { "•••" }

    /// Always `•••`.
    package var debugDescription: String { "•••" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// How to find a secret again.
///
/// Plans, state and journal hold this, never the secret.
package enum SecretReference: Hashable, Sendable {
    /// An environment variable: `!env NAME`.
    case environment(String)
    /// A file's content, by absolute path: `!file path`.
    case file(String)
    /// Written out in a manifest file, by absolute path: the manifest has to be read again.
    ///
    /// `path` says where in it, as diagnostics do: `market.secret`.
    case manifest(String, path: String)

    /// Compares paths by their bytes.
    package static func == (left: SecretReference, right: SecretReference) -> Bool {
        switch (left, right) {
        case (.environment(let left), .environment(let right)): left.isExactly(right)
        case (.file(let left), .file(let right)): left.isExactly(right)
        case (.manifest(let left, let place), .manifest(let right, let other)):
            left.isExactly(right) && place.isExactly(other)
        default: false
        }
    }
}

/// A secret and how it was found.
package struct ResolvedSecret: Hashable, Sendable {
    /// How to find it again.
    package var reference: SecretReference
    /// The value.
    package var value: Secret

    /// A secret whose variable is not set: it is known where it would be found.
    package init(unset reference: SecretReference) {
        self.init(reference: reference, value: Secret(""))
    }

    /// Whether there is a value; reading needs none.
    package var isSet: Bool { !value.revealed.isEmpty }

    /// Pairs a value with its origin.
    package init(reference: SecretReference, value: Secret) {
        self.reference = reference
        self.value = value
    }
}
