import FoundationEssentials
public import OpenMarket
import OpenMarketApply

/// A plan with what is around it: what planning shows and saves, and what applying a saved plan carries out.
///
/// Holds no secret, only how to find each again.
public struct SavedPlan: Sendable {
    /// The part that only apply reads.
    package struct Payload: Codable, Sendable {
        package var operations: [PlannedOperation]
        package var stateUpdates: [StateMutation]
        package var identifier: SecretReference?
        package var secret: SecretReference?
        package var identifierDigest: ContentDigest?
        /// The hosts beside the market's own that its pictures may be fetched from; `nil` for none.
        package var pictureHosts: [String]?
        package var state: String
        /// What that state knew.
        package var known: Known
        /// What the live products of the names of those to be made were taken for.
        package var namesakes: KnownNamesakes?

        /// Normalises the keys as the state does, for an older version wrote them as they stood in the manifest.
        fileprivate mutating func composeKeys() {
            for index in operations.indices {
                operations[index].key = operations[index].key.composed
                if case .adopt(var entry, let name) = operations[index].work {
                    entry.key = entry.key.composed
                    operations[index].work = .adopt(entry, name: name)
                }
            }
            stateUpdates = stateUpdates.map(\.composed)
            known.ids = Dictionary(known.ids.map { ($0.composed, $1) }) { first, _ in first }
        }
    }

    /// What the state knew when the plan was made, so that it is not carried out on another one.
    package struct Known: Codable, Sendable {
        /// How many products.
        package var products: Int
        /// The product of each key that the plan is about; keys that meant none are missing.
        package var ids: [String: ProductID]
        /// The newest run; `nil` when there was none.
        package var lastRun: RunID?
    }

    /// The tool that wrote it, with its version.
    public var tool: String
    /// The market's base URL.
    public var url: String
    /// The market's deployment.
    public var profile: MarketProfile
    /// The manifests that it was made from.
    public var manifestFiles: [String]
    /// The SHA-256 of the manifests.
    public var manifestDigest: ContentDigest
    /// What to do.
    public var plan: Plan
    /// How many operations of earlier runs were unresolved when it was made.
    public var unsettled: Int
    package var payload: Payload

    /// The document, with what apply needs only where it is to be saved.
    ///
    /// - Parameters:
    ///   - forApply: whether it is to be saved.
    ///   - words: what an override is called.
    /// - Returns: the document.
    /// - Throws: `EncodingError`.
    public func document(
        forApply: Bool,
        override words: (PlanOverride) -> String = { $0.description }
    ) throws -> JSONValue {
        let pictures = Set(plan.operations.flatMap(\.pictures)).sorted {
            $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }
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
            ("refusals", .array(plan.refusals.map { JSONValue($0, override: words) })),
            ("diagnostics", .array(plan.diagnostics.map { JSONValue($0) })),
            ("apply", forApply ? try JSONValue(coding: payload) : nil)
        )
    }

    /// Whether bytes look like a saved plan, as opposed to a manifest: a plan is known by its content.
    public static func isPlan(_ head: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(head.prefix(256)), as: UTF8.self)
        return text.first(where: { !$0.isWhitespace }) == "{" && text.contains("\"format_version\"")
    }

    /// Reads a saved plan.
    ///
    /// - Throws: ``SavedPlanError`` when the bytes are none, are of another version, or are for looking only.
    public init(bytes: [UInt8]) throws(SavedPlanError) {
        let document: JSONValue
        do {
            document = try JSONValue.parse(bytes)
        } catch {
            throw SavedPlanError("not a saved plan: \(error)")
        }
        guard let version = document["format_version"] else { throw SavedPlanError("not a saved plan") }
        guard version == .formatVersion else {
            throw SavedPlanError("a plan of format \(version.integer ?? 0), written by another version of openmarket")
        }
        guard let apply = document["apply"] else {
            throw SavedPlanError("this plan is for looking only", help: "save one with `openmarket plan -o FILE`")
        }
        guard let url = document["market"]?["url"]?.text,
            let profile = document["market"]?["api"]?.text.flatMap(MarketProfile.init(name:)),
            let digest = document["manifest"]?["sha256"]?.text.flatMap(ContentDigest.init(hexadecimal:)),
            var payload = try? JSONDecoder().decode(Payload.self, from: Data(apply.bytes()))
        else { throw SavedPlanError("the plan is damaged") }
        payload.composeKeys()
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
            stateUpdates: payload.stateUpdates,
            namesakes: payload.namesakes ?? KnownNamesakes()
        )
    }

    /// A plan to save.
    ///
    /// - Parameters:
    ///   - planned: the plan and what it was made from.
    ///   - tool: the tool that writes it, with its version.
    ///   - scope: which market, as which vendor.
    ///   - manifest: what it was made from, and how to find the credentials again.
    ///   - state: where the state is.
    ///   - lastRun: the newest run that the state knows.
    public init(
        _ planned: PlannedChanges,
        tool: String,
        scope: MarketScope,
        manifest: Manifest,
        state: StateLocation,
        lastRun: RunID?
    ) {
        let keys = planned.plan.operations.map(\.key) + planned.plan.stateUpdates.flatMap(\.keys)
        let entries = planned.snapshot.entries
        self.tool = tool
        url = scope.url
        profile = scope.profile
        manifestFiles = manifest.files
        manifestDigest = manifest.digest
        plan = planned.plan
        unsettled = planned.recovery.settled.count
        payload = Payload(
            operations: planned.plan.operations,
            stateUpdates: planned.plan.stateUpdates,
            identifier: manifest.market.identifier?.reference,
            secret: manifest.market.secret?.reference,
            identifierDigest: scope.identifier,
            pictureHosts: manifest.market.pictureHosts.isEmpty ? nil : manifest.market.pictureHosts,
            state: state.description,
            known: Known(
                products: entries.count,
                ids: Dictionary(keys.compactMap { key in entries[key].map { (key, $0.id) } }) { first, _ in first },
                lastRun: lastRun
            ),
            namesakes: planned.plan.namesakes
        )
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
