/// The reaction of a command to a closed stdout.
enum ResultReader: Sendable {
    /// A stdout that is closed at start is refused.
    ///
    /// If the reader stops later, the command continues, because its exit code is also a result.
    case expected
    /// As ``expected``, but the command ends successfully when the reader stops.
    ///
    /// Such a command only writes, possibly a lot.
    case streaming
    /// The command works without a reader.
    case optional
}
