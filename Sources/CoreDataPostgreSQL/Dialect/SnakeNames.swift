// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names of tables and columns in snake case, as other tools of the database expect.

package import CoreData

/// `hireDate` is `hire_date`, the key of `department` is `department_id`.
package struct SnakeNames: SchemaNames {
    /// The server truncates longer names with only a notice.
    private static let longest = 63

    package init() {}

    package var key: String { "id" }
    package var version: String { "version" }
    package static let kind = "kind"
    package var reservedTables: Set<String> { Set(["ocd_store", "ocd_transaction"] + ServerHistoryTables.names) }
    /// Each table of the server has system columns.
    package var reservedColumns: Set<String> {
        [key, version, Self.kind, "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
    }

    package func table(_ root: EntityLayout) -> String { Self.snake(root.name) }
    package func column(_ property: String) -> String { Self.snake(property) }
    package func element(_ path: [String]) -> String { path.map(Self.snake).joined(separator: "_") }
    package func toOne(_ relationship: String) -> String { Self.snake(relationship) + "_id" }
    package func destinationEntity(_ relationship: String, root: Int64) -> String { Self.snake(relationship) + "_kind" }
    package func oneWay(_ relationship: String, source: EntityLayout, number: Int64) -> String {
        "\(Self.snake(source.name))_\(Self.snake(relationship))_id"
    }
    package func order(_ column: String) -> String {
        (column.hasSuffix("_id") ? String(column.dropLast(3)) : column) + "_order"
    }
    package func join(_ relationship: String, owner: EntityLayout, number: Int64) -> String {
        "\(Self.snake(owner.name))_\(Self.snake(relationship))"
    }
    package func joinColumn(_ inverse: String, owner: EntityLayout, number: Int64) -> String {
        Self.snake(inverse) + "_id"
    }
    package func namesJoin(_ relationship: String, inverse: String, in entity: NSEntityDescription) -> Bool {
        inverse.utf8.lexicographicallyPrecedes(relationship.utf8)
    }
    package var numbersJoinColumnsByEntity: Bool { false }
    package func reflexiveColumn(_ relationship: String, owner: EntityLayout) -> String {
        Self.snake(relationship) + "_other_id"
    }

    /// A number of at most 13 digits and letters.
    static func checksum(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }

    /// A name that is too long ends in a number computed from the whole name.
    package func limited(_ name: String) -> String {
        guard name.utf8.count > Self.longest else { return name }
        let ending = "_" + Self.checksum(name)
        var start = name
        while start.utf8.count + ending.utf8.count > Self.longest { start.removeLast() }
        return start + ending
    }

    /// `baseURL` is `base_url`, `URLString` is `url_string`.
    static func snake(_ name: String) -> String {
        let letters = Array(name)
        var result = ""
        for (place, letter) in letters.enumerated() {
            let follows = place > 0 && letters[place - 1] != "_"
            let begins =
                letter.isUppercase
                && (follows && !letters[place - 1].isUppercase
                    || follows && place + 1 < letters.count && letters[place + 1].isLowercase)
            if begins { result += "_" }
            result += letter.lowercased()
        }
        return result
    }
}
