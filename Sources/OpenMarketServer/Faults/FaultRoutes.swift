import Hummingbird
import NIOCore

/// The control endpoints for tests, available only if faults are enabled.
struct FaultRoutes {
    let control: FaultControl
    let bodies: BodyReader

    func add(to router: Router<ServerRequestContext>) {
        router.get("_faults", use: counters)
        router.put("_faults", use: replace)
        router.get("_log", use: log)
    }

    @Sendable
    private func replace(_ request: Request, context: ServerRequestContext) async throws -> Response {
        do {
            control.replace(try FaultPlan(yaml: try await bodies.read(request, context), file: "_faults"))
        } catch let fault as BodyReader.Fault {
            throw WireReply(fault.status, text: fault.message)
        } catch let error as ServerError {
            throw WireReply(.badRequest, text: error.message)
        }
        return try await counters(request, context: context)
    }

    @Sendable
    private func counters(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let (plan, counters) = control.counters
        return WireReply(.ok) { json in
            json.key("seed")
            json.integer(plan.seed)
            json.key("rules")
            json.array(counters) { json, counter in
                json.object { json in
                    json.key("seen")
                    json.integer(counter.seen)
                    json.key("fired")
                    json.integer(counter.fired)
                }
            }
        }.response
    }

    @Sendable
    private func log(_ request: Request, context: ServerRequestContext) async throws -> Response {
        WireReply(.ok) { json in
            json.key("requests")
            json.array(control.log) { json, entry in
                json.object { json in
                    json.key("method")
                    json.string(entry.method)
                    json.key("path")
                    json.string(entry.path)
                    json.key("status")
                    if let status = entry.status { json.integer(status) } else { json.null() }
                    json.key("rules")
                    json.array(entry.rules) { json, rule in json.integer(rule) }
                }
            }
        }.response
    }
}
