/// The value of a secret; prints as `•••` if it is interpolated, dumped or reflected.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Only for the request that needs the value.
    package let revealed: String

    package init(_ revealed: String) {
        self.revealed = revealed
    }

    /// Reads a secret from the content of a file.
    ///
    /// Drops a byte order mark, and the one line break, LF or CRLF, that editors put after the last line.
    package init(content: String) {
        var scalars = content.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        if scalars.last == "\n" {
            scalars.removeLast()
            if scalars.last == "\r" { scalars.removeLast() }
        }
        self.init(String(String.UnicodeScalarView(scalars)))
    }

    /// Compares bytes, as markets do.
    package static func == (left: Secret, right: Secret) -> Bool { left.revealed.isExactly(right.revealed) }

    package var description: String { "•••" }

    package var debugDescription: String { "•••" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The origin of a secret, for reading it again.
///
/// Plans, state and journal hold this, never the secret.
package enum SecretReference: Hashable, Sendable {
    /// An environment variable: `!env NAME`.
    case environment(String)
    /// A file's content, by absolute path: `!file path`.
    case file(String)
    /// A value in a manifest file, by absolute path, which must be read again.
    ///
    /// `path` is the field's path in the file, as in diagnostics: `market.secret`.
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

/// A secret and its origin; joins the ``KnownSecrets``.
package struct ResolvedSecret: Hashable, Sendable {
    package var reference: SecretReference
    package var value: Secret

    package init(reference: SecretReference, value: Secret) {
        self.reference = reference
        self.value = value
        KnownSecrets.current?.hide(value)
    }

    /// A secret whose variable is not set; only its origin is known.
    package init(unset reference: SecretReference) {
        self.init(reference: reference, value: Secret(""))
    }

    /// Whether there is a value; reads work without one.
    package var isSet: Bool { !value.revealed.isEmpty }
}
