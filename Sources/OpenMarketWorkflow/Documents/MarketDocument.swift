import OpenMarket
import OpenMarketDescription

/// The market of a document: a built-in one by name, any other one with its description.
struct MarketDocument {
    private var name = ""
    private var parameters: [String: String] = [:]
    private var digest: ContentDigest?
    private var text: String?

    /// Creates a record for reading.
    init() {}

    /// Creates a record for writing.
    init(_ profile: MarketProfile) {
        name = profile.name
        guard !profile.isBuiltIn else { return }
        parameters = profile.parameters
        digest = profile.digest
        text = String(decoding: profile.document, as: UTF8.self)
    }

    /// Describes the members that are shown.
    mutating func describeName(_ members: inout DocumentMembers) {
        members.required("profile", &name)
        members.optional("parameters", &parameters, default: [:])
        members.optional("description_sha256", &digest)
    }

    /// Describes the description itself, which holds no secret.
    mutating func describeText(_ members: inout DocumentMembers) { members.optional("description", &text) }

    /// The market that was read; throws `DocumentError` if this version does not know it.
    func profile() throws(DocumentError) -> MarketProfile {
        guard let text else {
            guard let profile = MarketProfile.builtIns.first(where: { $0.name.isExactly(name) }) else {
                throw DocumentError("is '\(name)', which this version does not know", at: "market.profile")
            }
            return profile
        }
        let profile: MarketProfile
        do throws(MarketProfileError) {
            profile = try MarketProfile(document: Array(text.utf8), parameters: parameters)
        } catch {
            throw DocumentError("is not one: \(error)", at: "apply.description")
        }
        guard profile.name.isExactly(name), profile.digest == digest else {
            throw DocumentError("is not that of the market", at: "apply.description")
        }
        return profile
    }
}
