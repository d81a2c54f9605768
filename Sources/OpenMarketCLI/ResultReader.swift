/// The behavior of a command when its stdout is not read.
enum ResultReader: Sendable {
    /// A stdout that is closed from the beginning is refused.
    ///
    /// If the reader stops later, the command goes on, because its exit code is a result, too.
    case expected
    /// As ``expected``, but the command ends successfully when the reader stops.
    ///
    /// Such a command may have much to write and does nothing else.
    case streaming
    /// The command works without a reader.
    case optional
}
