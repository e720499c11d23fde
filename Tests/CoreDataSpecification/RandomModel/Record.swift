// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference's knowledge of one object: plain values, other objects by name.

/// The value of an attribute.
enum Value: Hashable, Sendable, CustomStringConvertible {
    case number(Int)
    case text(String)

    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        }
    }

    var object: Any {
        switch self {
        case .number(let number): number
        case .text(let text): text
        }
    }
}

struct Record: Equatable, Sendable {
    let entity: String
    /// The attributes, without those that are nil.
    var attributes: [String: Value]
    /// The destinations of to-ones, by name of the relationship.
    var ones: [String: String] = [:]
    /// The members of to-manys: in order if there is one, else sorted. Empty ones have no entry.
    var manys: [String: [String]] = [:]

    func members(_ link: String) -> [String] { manys[link] ?? [] }

    mutating func setMembers(_ members: [String], _ link: Link) {
        manys[link.name] = members.isEmpty ? nil : link.isOrdered ? members : members.sorted()
    }

    /// The record without values that no store keeps.
    var stored: Record {
        var result = self
        result.attributes["mood"] = nil
        return result
    }

    /// The names of the properties that differ.
    func differences(from other: Record) -> Set<String> {
        if self == other { return [] }
        var result: Set<String> = []
        for key in Set(attributes.keys).union(other.attributes.keys) where attributes[key] != other.attributes[key] {
            result.insert(key)
        }
        return result.union(changedLinks(since: other))
    }

    /// The names of the relationships that differ.
    func changedLinks(since other: Record) -> Set<String> {
        var result: Set<String> = []
        for key in Set(ones.keys).union(other.ones.keys) where ones[key] != other.ones[key] { result.insert(key) }
        for key in Set(manys.keys).union(other.manys.keys) where manys[key] != other.manys[key] { result.insert(key) }
        return result
    }
}
