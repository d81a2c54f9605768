import Foundation
@testable import OpenMarket

/// A body that a client sent, read by code that shares nothing with what wrote it.
struct SentBody: Sendable {
    /// The values, as a tree; of a form and of parts all values are texts, and `true`.
    var tree: JSONValue
    /// The pictures that are parts of their own, or the body itself.
    var pictures: [[UInt8]] = []

    /// Why a body makes no sense.
    struct Fault: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// Reads a body of a `Content-Type`; throws ``Fault``, and what broken JSON throws.
    init(_ bytes: [UInt8], type: String) throws {
        tree = .object([])
        if type.hasSuffix("json") {
            tree = try JSONValue.parse(bytes)
        } else if type == "application/x-www-form-urlencoded" {
            tree = Self.tree(of: Self.pairs(String(decoding: bytes, as: UTF8.self)))
        } else if type.hasPrefix("image/") {
            pictures = [bytes]
        } else if type.hasPrefix("multipart/form-data"), let form = WireForm(contentType: type, body: bytes) {
            pictures = form.parts.filter { $0.fileName != nil }.map(\.content)
            let parts = form.parts.filter { $0.fileName == nil }
            tree =
                try parts.first(where: \.isJSON).map { try JSONValue.parse($0.content) }
                ?? Self.tree(of: parts.map { ($0.name, $0.text) })
        } else {
            throw Fault("a body of type '\(type)'")
        }
    }

    /// The tree of names such as `a[b][0]`.
    private static func tree(of pairs: [(name: String, value: String)]) -> JSONValue {
        var tree = JSONValue.object([])
        for pair in pairs {
            let path = pair.name.split(separator: "[").map { String($0.last == "]" ? $0.dropLast() : $0) }
            let value: JSONValue = pair.value == "true" ? .bool(true) : .string(pair.value)
            // The first number on the way begins an array.
            if let index = path.firstIndex(of: "0"), tree.value(at: Array(path[..<index])) == nil {
                tree.set(.array([]), at: Array(path[..<index]))
            }
            tree.set(value, at: path)
        }
        return tree
    }

    private static func pairs(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (unescaped(String(halves[0])), halves.count > 1 ? unescaped(String(halves[1])) : "")
        }
    }

    /// A text without the escapes of URLs.
    static func unescaped(_ text: String) -> String { text.removingPercentEncoding ?? text }
}

extension JSONValue {
    /// What is at a place, by the names of members and the numbers of elements; `nil` where nothing is.
    func value(at path: [String]) -> JSONValue? {
        var tree = self
        for name in path {
            let element = Int(name).flatMap { index in
                tree.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
            guard let next = tree[name] ?? element else { return nil }
            tree = next
        }
        return tree
    }

    /// Puts a value at a place, and makes what is missing on the way.
    mutating func set(_ value: JSONValue, at path: [String]) {
        guard let name = path.first else {
            self = value
            return
        }
        if case .array(var elements) = self, let index = Int(name) {
            while elements.count <= index { elements.append(.null) }
            elements[index].set(value, at: Array(path.dropFirst()))
            self = .array(elements)
            return
        }
        var members = self.members ?? []
        let place = members.firstIndex { $0.name == name } ?? members.count
        if place == members.count { members.append(.init(name, .null)) }
        members[place].value.set(value, at: Array(path.dropFirst()))
        self = .object(members)
    }

    /// An object with the members of another one put in, as markets carry out a PATCH (RFC 7396, but for `null`).
    ///
    /// The members at the paths of `replaced` are replaced as a whole.
    func merged(with change: JSONValue, replacing replaced: [[String]]) -> JSONValue {
        guard case .object(var members) = self, case .object(let changes) = change, !replaced.contains([]) else {
            return change
        }
        for change in changes {
            if let place = members.firstIndex(where: { $0.name == change.name }) {
                let inside = replaced.filter { $0.first == change.name }.map { Array($0.dropFirst()) }
                members[place].value = members[place].value.merged(with: change.value, replacing: inside)
            } else {
                members.append(change)
            }
        }
        return .object(members)
    }
}
