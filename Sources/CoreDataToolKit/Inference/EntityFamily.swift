// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The inheritance in a store's table of entities, without cycles.

/// The entities of a store by number, each with its superentity.
///
/// A damaged file may describe a cycle of superentities. Entities on the cycle have no superentity here, so that walks
/// upwards always end.
struct EntityFamily {
    let members: [StoreFile.KnownEntity]
    private let names: [Int64: String]
    private let parents: [Int64: Int64]
    /// Entities without subentities, with their names in upper case.
    private let leaves: [(number: Int64, upper: String)]

    init(_ members: [StoreFile.KnownEntity]) {
        self.members = members
        names = Dictionary(members.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        parents = Self.withoutCycles(members, names)
        let superNumbers = Set(members.map(\.superNumber))
        leaves = members.filter { !superNumbers.contains($0.number) }.map { ($0.number, $0.name.uppercased()) }
    }

    func name(_ number: Int64) -> String? { names[number] }

    /// The number of the superentity; nil for a root.
    func parent(of number: Int64) -> Int64? { parents[number] }

    func root(of number: Int64) -> Int64 {
        var root = number
        while let parent = parents[root] { root = parent }
        return root
    }

    /// Whether an entity is the other one or a subentity of it.
    func isKind(_ number: Int64, of other: Int64) -> Bool {
        var next: Int64? = number
        while let current = next {
            if current == other { return true }
            next = parents[current]
        }
        return false
    }

    /// The numbers of the entities without subentities.
    var leafNumbers: [Int64] { leaves.map(\.number) }

    /// The only entity with a column's name; otherwise the only one where either name ends with the other. Considers
    /// only entities without subentities: others would have a column for the entity number.
    ///
    /// - Returns: the number, and whether the names are the same.
    func namesake(of column: String) -> (number: Int64, isExact: Bool)? {
        func only(_ matches: (String) -> Bool) -> Int64? {
            var found: Int64?
            for leaf in leaves where matches(leaf.upper) {
                if found != nil { return nil }
                found = leaf.number
            }
            return found
        }
        if let exact = only({ $0 == column }) { return (exact, true) }
        return (only { $0.hasSuffix(column) } ?? only { column.hasSuffix($0) }).map { ($0, false) }
    }

    /// One step for each entity: every walk ends at an entity visited earlier.
    private static func withoutCycles(_ members: [StoreFile.KnownEntity], _ names: [Int64: String]) -> [Int64: Int64] {
        var parents: [Int64: Int64] = [:]
        for member in members where names[member.superNumber] != nil && parents[member.number] == nil {
            parents[member.number] = member.superNumber
        }
        var walkOf: [Int64: Int] = [:]
        for (walk, member) in members.enumerated() {
            var path: [Int64] = []
            var next: Int64? = member.number
            while let number = next, walkOf[number] == nil {
                walkOf[number] = walk
                path.append(number)
                next = parents[number]
            }
            guard let end = next, walkOf[end] == walk, let start = path.firstIndex(of: end) else { continue }
            for number in path[start...] { parents[number] = nil }
        }
        return parents
    }
}
