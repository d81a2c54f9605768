/// What a command does if nothing reads its stdout.
enum ResultReader: Sendable {
    /// A stdout that is closed at start is refused.
    ///
    /// If the reader stops later, the command continues, because its exit code is a result, too.
    case expected
    /// As ``expected``, but the command ends successfully when the reader stops.
    ///
    /// Such a command may write much and does nothing else.
    case streaming
    /// The command works without a reader.
    case optional
}
