import OpenMarket

/// Recorded requests to a market and its replies, as JSON Lines.
///
/// A line has `path` (path and query, or the whole address) and `status`. Optional are `method` (default `GET`),
/// `headers` (a text for each name) and `body` (JSON), or `text` for a body that is not JSON.
package struct RecordedConversation: Sendable {
    struct Exchange: Sendable {
        /// The method, and the part of the address after the host: `GET /products?page=1`.
        var request: String
        var reply: TransportReply
    }

    /// A line that is not an exchange.
    package struct Fault: Error, Hashable, Sendable {
        /// The line number, from 1.
        package var line: Int
        package var message: String
    }

    /// The origin in the first whole address; without one, a host that never resolves.
    private(set) var origin = "http://market.invalid"
    let exchanges: [Exchange]

    package init(_ bytes: [UInt8]) throws(Fault) {
        var exchanges: [Exchange] = []
        var origin: String?
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            func fault(_ message: String) -> Fault { Fault(line: index + 1, message: message) }
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue.parse(Array(line))
            } catch {
                throw fault("this is not a line of JSON: \(error)")
            }
            guard let address = value["path"]?.text else { throw fault("'path' is missing") }
            guard let status = value["status"]?.integer, (100...599).contains(status) else {
                throw fault("'status' is not the status of a reply")
            }
            let (host, target) = Self.parts(of: address)
            guard target.hasPrefix("/") else { throw fault("'path' is neither a path nor an address") }
            origin = origin ?? host
            exchanges.append(
                Exchange(
                    request: "\(value["method"]?.text ?? "GET") \(target)",
                    reply: TransportReply(
                        status: Int(status),
                        headers: (value["headers"]?.members ?? []).compactMap { member in
                            member.value.text.map { (member.name, $0) }
                        },
                        body: value["text"]?.text.map { Array($0.utf8) } ?? value["body"]?.bytes() ?? []
                    )
                )
            )
        }
        guard !exchanges.isEmpty else { throw Fault(line: 1, message: "no exchange is recorded here") }
        self.exchanges = exchanges
        if let origin { self.origin = origin }
    }

    /// Splits an address into its origin, if it has one, and the rest.
    static func parts(of address: String) -> (origin: String?, target: String) {
        guard let scheme = address.firstRange(of: "://"), address[..<scheme.lowerBound].allSatisfy(\.isLetter) else {
            return (nil, address)
        }
        let end = address[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
        let rest = address[end...]
        return (String(address[..<end]), rest.hasPrefix("/") ? String(rest) : "/" + rest)
    }
}
