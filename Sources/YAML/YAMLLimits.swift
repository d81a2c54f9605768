/// Limits for a YAML text, beyond which reading stops with an error.
package struct YAMLLimits: Hashable, Sendable {
    /// The maximum nesting depth of lists and mappings.
    var depth: Int

    /// The maximum number of nodes in the expansion of all aliases.
    ///
    /// Aliases share their nodes, so they cost no memory; but a traversal of the tree would visit all of it.
    var aliasExpansion: Int

    /// The maximum size of one value, in bytes.
    package var scalarLength: Int

    /// Limits that no ordinary file reaches.
    package init(depth: Int = 64, aliasExpansion: Int = 10_000_000, scalarLength: Int = 1 << 20) {
        self.depth = depth
        self.aliasExpansion = aliasExpansion
        self.scalarLength = scalarLength
    }

    /// The maximum number of bytes read without an event; this limits libyaml's buffers.
    var silentLength: Int { min(scalarLength, 1 << 40) + (4 << 20) }
}
