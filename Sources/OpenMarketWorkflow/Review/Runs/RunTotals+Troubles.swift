import OpenMarket

extension RunTotals {
    /// The unsuccessful totals, for messages: `2 failed`, `5 not started`; empty if all succeeded.
    func troubles(_ style: Style) -> [String] {
        [(failed, "failed"), (stale, "stale"), (skipped, "not started"), (unknown, "unknown")]
            .filter { $0.0 > 0 }
            .map { style(.red, "\($0.0) \($0.1)") }
    }
}
