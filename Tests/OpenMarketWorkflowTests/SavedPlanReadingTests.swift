@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

/// What is not carried out as a saved plan, and why.
struct SavedPlanReadingTests {
    private func error(_ text: String) -> SavedPlanError? {
        do throws(SavedPlanError) {
            _ = try SavedPlan(bytes: Array(text.utf8), in: "/shop")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", SavedPlanError.Code.notAPlan, "not a saved plan: "),
        ("products: []", .notAPlan, "not a saved plan: "),
        (#"{"format_version":1"#, .notAPlan, "not a saved plan: "),
        (#"{"format_version":1,"format_version":1}"#, .notAPlan, "not a saved plan: "),
        ("{}", .notAPlan, "not a saved plan"),
        (#"{"format_version":99}"#, .unreadable, "a plan of format 99, "),
        (#"{"format_version":"1"}"#, .unreadable, "a plan of format 0, "),
        (#"{"format_version":1}"#, .notAPlan, "this plan is for looking only"),
        (#"{"format_version":1,"apply":{}}"#, .unreadable, "the plan cannot be carried out: tool is missing"),
        (
            #"{"format_version":1,"apply":{},"tool":0}"#, .unreadable,
            "the plan cannot be carried out: tool is not a text"
        ),
    ])
    func `each fault has its category and names its place`(text: String, code: SavedPlanError.Code, message: String) {
        let error = error(text)
        #expect(error?.code == code)
        #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "read")")
    }

    @Test(arguments: ["plan.yaml", "plan.csv"])
    func `only the content says whether a file is a plan`(name: String) {
        func code(_ text: String) -> SavedPlanError.Code? {
            do throws(SavedPlanError) {
                _ = try SavedPlan(Array(text.utf8), file: name)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(#"{"format_version":1}"#) == .notAPlan)
        #expect(code("products: []") == .manifest(name))
    }
}
