/// What makes some servers take a request for one of another method: a GET that deletes.
package enum MethodOverride {
    /// Whether some server takes a query for the method: PHP reads `.` and ` ` in names as `_`.
    package static func isQuery(_ name: String) -> Bool {
        let letters = name.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) }.map { String($0) }.joined()
        return ["method", "psmethod", "httpmethod"].contains(letters) || letters.hasPrefix("xhttpmethod")
            || letters.hasPrefix("xmethod")
    }
}
