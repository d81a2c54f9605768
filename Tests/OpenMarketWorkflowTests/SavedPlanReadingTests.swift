@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

/// What is not carried out as a saved plan, and why.
struct SavedPlanReadingTests {
    private func error(_ text: String) -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try SavedPlan(bytes: Array(text.utf8), in: "/shop")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", "saves one", "not a saved plan: "),
        ("products: []", "saves one", "not a saved plan: "),
        (#"{"format_version":1"#, "saves one", "not a saved plan: "),
        (#"{"format_version":1,"format_version":1}"#, "saves one", "not a saved plan: "),
        ("{}", "saves one", "not a saved plan"),
        (#"{"format_version":99}"#, "create it again", "a plan of format 99, "),
        (#"{"format_version":"1"}"#, "create it again", "a plan of format 0, "),
        (#"{"format_version":1}"#, "saves one", "this plan is for looking only"),
        (#"{"format_version":1,"apply":{}}"#, "create it again", "the plan cannot be carried out: tool is missing"),
        (
            #"{"format_version":1,"apply":{},"tool":0}"#, "create it again",
            "the plan cannot be carried out: tool is not a text"
        ),
    ])
    func `each fault has its category and names its place`(text: String, help: String, message: String) {
        let error = error(text)
        #expect(error?.help?.contains(help) == true)
        #expect(error?.description.hasPrefix(message) ?? false, "\(error?.description ?? "read")")
    }

    @Test(arguments: ["plan.yaml", "plan.csv"])
    func `only the content says whether a file is a plan`(name: String) {
        func help(_ text: String) -> String? {
            do throws(CommandFailure) {
                _ = try SavedPlan(Array(text.utf8), file: name)
                return nil
            } catch {
                return error.help
            }
        }
        #expect(help(#"{"format_version":1}"#)?.contains("saves one") == true)
        #expect(help("products: []") == "to show its changes: openmarket plan \(name)")
    }
}
