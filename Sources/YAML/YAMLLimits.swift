/// How much a YAML text may ask for before reading stops with an error.
package struct YAMLLimits: Hashable, Sendable {
    /// How deep lists and mappings may nest.
    var depth: Int

    /// How many nodes all aliases together may expand to.
    ///
    /// Aliases share what they name, so they cost no memory; but whoever walks the tree would walk all of it.
    var aliasExpansion: Int

    /// How many bytes one value may have.
    package var scalarLength: Int

    /// Limits that no file written by people or their tools meets.
    package init(depth: Int = 64, aliasExpansion: Int = 10_000_000, scalarLength: Int = 1 << 20) {
        self.depth = depth
        self.aliasExpansion = aliasExpansion
        self.scalarLength = scalarLength
    }

    /// How many bytes may be read without an event coming of them: bounds what libyaml holds in its buffers.
    var silentLength: Int { min(scalarLength, 1 << 40) + (4 << 20) }
}
