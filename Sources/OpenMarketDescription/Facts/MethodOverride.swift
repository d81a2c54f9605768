/// The ways of some servers to treat a request as one with another method, such as a GET that deletes.
package enum MethodOverride {
    /// Whether some server reads a query of this name as the method; PHP reads `.` and ` ` in names as `_`.
    package static func isQuery(_ name: String) -> Bool {
        let letters = name.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) }.map { String($0) }.joined()
        return ["method", "psmethod", "httpmethod"].contains(letters) || letters.hasPrefix("xhttpmethod")
            || letters.hasPrefix("xmethod")
    }
}
