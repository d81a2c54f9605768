import FoundationEssentials
import OpenMarket
import OpenMarketManifest

/// A plan with what is around it: what `plan --json` prints, `plan -o` saves and `apply PLAN.json` carries out.
///
/// Holds no secret, only how to find each again.
struct SavedPlan: Sendable {
    /// The part that only apply reads.
    struct Payload: Codable, Sendable {
        var operations: [Operation]
        var stateUpdates: [StateMutation]
        var identifier: SecretReference?
        var secret: SecretReference?
        var identifierDigest: ContentDigest?
        var state: String
        /// What that state knew.
        var known: Known
    }

    /// What the state knew when the plan was made, so that it is not carried out on another one.
    struct Known: Codable, Sendable {
        /// How many products.
        var products: Int
        /// The product of each key that the plan is about; keys that meant none are missing.
        var ids: [String: ProductID]
        /// The newest run; `nil` when there was none.
        var lastRun: RunID?
    }

    var tool = "openmarket \(toolVersion)"
    var url: String
    var profile: MarketProfile
    var manifestFiles: [String]
    var manifestDigest: ContentDigest
    var plan: Plan
    var unsettled: Int
    var payload: Payload

    /// The document, with what apply needs only where it is to be saved.
    func document(forApply: Bool) throws -> JSONValue {
        let pictures = Set(plan.operations.flatMap(\.pictures)).sorted { $0.path < $1.path }
        return .object(
            of: ("format_version", .formatVersion),
            ("tool", .string(tool)),
            ("market", .object(of: ("url", .string(url)), ("api", .string(profile.rawValue)))),
            (
                "manifest",
                .object(
                    of: ("files", .array(manifestFiles.map(JSONValue.string))),
                    ("sha256", .string(manifestDigest.hexadecimal))
                )
            ),
            ("summary", JSONValue(plan.summary)),
            ("unsettled", unsettled > 0 ? .integer(unsettled) : nil),
            ("operations", .array(plan.operations.map { JSONValue($0) })),
            (
                "pictures",
                .array(
                    pictures.map {
                        .object(
                            of: ("path", .string($0.path)),
                            ("bytes", .integer($0.byteCount)),
                            ("sha256", .string($0.digest.hexadecimal))
                        )
                    }
                )
            ),
            ("refusals", .array(plan.refusals.map { JSONValue($0) })),
            ("diagnostics", .array(plan.diagnostics.map { JSONValue($0) })),
            ("apply", forApply ? try JSONValue(coding: payload) : nil)
        )
    }

    /// Whether bytes look like a saved plan, as opposed to a manifest: a plan is known by its content.
    static func isPlan(_ head: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(head.prefix(256)), as: UTF8.self)
        return text.first(where: { !$0.isWhitespace }) == "{" && text.contains("\"format_version\"")
    }

    /// Reads a saved plan.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the file is none, is of another version, or is for looking only.
    init(bytes: [UInt8], file: String) throws {
        func refuse(_ why: String, help: String? = nil) -> CommandFailure {
            CommandFailure(.invalidInput, "\(file): \(why)", help: help)
        }
        let document: JSONValue
        do {
            document = try JSONValue.parse(bytes)
        } catch {
            throw refuse("not a saved plan: \(error)")
        }
        guard let version = document["format_version"] else { throw refuse("not a saved plan") }
        guard version == .formatVersion else {
            throw refuse("a plan of format \(version.integer ?? 0), written by another version of openmarket")
        }
        guard let apply = document["apply"] else {
            throw refuse("this plan is for looking only", help: "save one with `openmarket plan -o FILE`")
        }
        guard let url = document["market"]?["url"]?.text,
            let profile = document["market"]?["api"]?.text.flatMap(MarketProfile.init(name:)),
            let digest = document["manifest"]?["sha256"]?.text.flatMap(ContentDigest.init(hexadecimal:)),
            let payload = try? JSONDecoder().decode(Payload.self, from: Data(apply.bytes()))
        else { throw refuse("the plan is damaged") }
        self.url = url
        self.profile = profile
        self.manifestFiles = document["manifest"]?["files"]?.elements?.compactMap(\.text) ?? []
        self.manifestDigest = digest
        self.tool = document["tool"]?.text ?? ""
        self.unsettled = 0
        self.payload = payload
        self.plan = Plan(
            operations: payload.operations,
            unchanged: (document["summary"]?["unchanged"]?.integer).map { Int($0) } ?? 0,
            stateUpdates: payload.stateUpdates
        )
    }

    init(
        url: String,
        profile: MarketProfile,
        manifestFiles: [String],
        manifestDigest: ContentDigest,
        plan: Plan,
        unsettled: Int,
        payload: Payload
    ) {
        self.url = url
        self.profile = profile
        self.manifestFiles = manifestFiles
        self.manifestDigest = manifestDigest
        self.plan = plan
        self.unsettled = unsettled
        self.payload = payload
    }
}

extension JSONValue {
    /// What a coder makes of a value, as a tree.
    fileprivate init(coding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self = try JSONValue.parse([UInt8](try encoder.encode(value)))
    }
}
