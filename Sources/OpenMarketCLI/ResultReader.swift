/// What a command does where its result is not read.
enum ResultReader: Sendable {
    /// A closed stdout is refused. Whoever stops reading has seen enough: the command goes on, because its exit code is a
    /// result, too.
    case expected
    /// As ``expected``, but the command ends, and has succeeded, where its result is not read on: it may have much to
    /// write, and does nothing else.
    case streaming
    /// Work goes on without one.
    case optional
}
