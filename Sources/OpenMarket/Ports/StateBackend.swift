/// The state of one market and the journal of its runs: what planning starts from and applying writes.
///
/// Reading needs no lock. Writing is done by one run at a time; who that is, is decided before a backend is handed out.
public protocol StateBackend: Journal {
    /// Where the state is, for messages: a path, or a URL without its password.
    var place: String { get }

    /// Everything known of the market's products.
    func snapshot() async throws -> StateSnapshot

    /// Changes the state without a request behind the change, in one transaction.
    func apply(_ mutations: [StateMutation]) async throws

    /// The market's runs, the newest first.
    func runs(limit: Int) async throws -> [RunSummary]

    /// What a run was to do and how far it came, in its order.
    func operations(of run: RunID) async throws -> [JournalledOperation]
}
