import OpenMarket
import OpenMarketApply
import OpenMarketWorkflow

/// Makes a market what a manifest says, and prints the plan first.
func update(_ market: any Market, _ scope: MarketScope, to manifest: Manifest, _ state: MemoryState) async throws
    -> RunResult?
{
    try await state.holding(scope, for: "update") { held in
        let session = Session(market: market, holding: held, tool: "my-shop 1.0")
        let applied = try await session.apply(manifest) { planned in
            for operation in planned.plan.operations { print(operation.action.symbol, operation.key) }
        }
        return applied.result
    }
}
