/// Names the files that list products as the state does.
package protocol OriginNames: Sendable {
    /// The ``StateEntry/origin`` that a file gives its products; `file` is its name in sources.
    func origin(of file: String) -> String

    /// Facts about the files of a run, and those in the state.
    func origins(of files: [String], in entries: StateEntries) -> Origins
}

/// The files of a run, by the names that the state gives them.
package struct Origins: Sendable {
    /// By their names in sources.
    var names: [String: String]
    /// The origins in the state that are files of the run, under any name.
    package var read: Set<String>
    /// The origins in the state whose files do not exist.
    package var gone: Set<String>

    package init(names: [String: String], read: Set<String> = [], gone: Set<String> = []) {
        self.names = names
        self.read = read.union(names.values)
        self.gone = gone
    }

    /// Why a product that no listing has may be deleted, or stays.
    enum Standing {
        case listedBefore
        case gone(String)
        case unread(String)
        case unknown
    }

    /// Only the file that listed a product can stop listing it.
    func standing(of origin: String?) -> Standing {
        guard let origin else { return .unknown }
        if read.contains(origin) { return .listedBefore }
        return origin == "-" ? .unknown : gone.contains(origin) ? .gone(origin) : .unread(origin)
    }
}
