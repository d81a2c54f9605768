/// Limits for a YAML text, beyond which reading stops with an error.
package struct YAMLLimits: Hashable, Sendable {
    /// How deeply lists and mappings may nest.
    var depth: Int

    /// How many nodes all aliases together may expand to.
    ///
    /// Aliases share their nodes, so they cost no memory; but a traversal of the tree would visit all of it.
    var aliasExpansion: Int

    /// How many bytes one value may have.
    package var scalarLength: Int

    /// Limits that no file written by people or their tools reaches.
    package init(depth: Int = 64, aliasExpansion: Int = 10_000_000, scalarLength: Int = 1 << 20) {
        self.depth = depth
        self.aliasExpansion = aliasExpansion
        self.scalarLength = scalarLength
    }

    /// How many bytes may be read without an event; this limits libyaml's buffers.
    var silentLength: Int { min(scalarLength, 1 << 40) + (4 << 20) }
}
