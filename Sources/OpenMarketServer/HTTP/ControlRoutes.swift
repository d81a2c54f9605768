import Hummingbird
import NIOCore
import OpenMarket

/// The endpoints for tests of apps: one to reset the shop, and three for faults.
struct ControlRoutes {
    let shop: Shop
    let seed: ShopSeed?
    let generations: [Generation]
    let bodies: BodyReader

    /// Adds the endpoint that resets the shop to its start: the products of the seed, or none.
    func addReset(to router: Router<ServerRequestContext>) {
        router.post("_shop/reset") { _, _ in
            let count = try await shop.reset(to: seed, generations)
            return WireReply(.ok) { $0.member("products", count) }.response
        }
    }

    func add(_ faults: FaultControl, to router: Router<ServerRequestContext>) {
        router.get("_faults") { _, _ in Self.counters(faults) }
        router.put("_faults") { request, context in
            do {
                faults.replace(try FaultPlan(yaml: try await bodies.read(request, context), file: "_faults"))
            } catch let fault as BodyReader.Fault {
                throw WireReply(fault.status, text: fault.message)
            } catch let error as ServerError {
                throw WireReply(.badRequest, text: error.message)
            }
            return Self.counters(faults)
        }
        router.get("_log") { _, _ in
            WireReply(.ok) { json in
                json.member("requests", array: faults.log) { json, entry in
                    json.object { json in
                        json.member("method", entry.method)
                        json.member("path", entry.path)
                        json.member("status", entry.status)
                        json.member("rules", array: entry.rules) { $0.literal(String($1)) }
                    }
                }
            }.response
        }
    }

    private static func counters(_ faults: FaultControl) -> Response {
        let (plan, counters) = faults.counters
        return WireReply(.ok) { json in
            json.member("seed", plan.seed)
            json.member("rules", array: counters) { json, counter in
                json.object { json in
                    json.member("seen", counter.seen)
                    json.member("fired", counter.fired)
                }
            }
        }.response
    }
}
