// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that find the rows which cannot be migrated, and delete them from the source tables.

import Foundation

/// The reason why a migration cannot bring rows over.
struct QuarantineReason {
    /// nil for rows that are quarantined because of another row.
    let kind: ScriptCheck.Kind?
    /// nil if the reason concerns the whole row.
    let property: String?
    /// Without a final point.
    let text: String
}

/// A function of the transition, as `MigrationScript` is. Migration-M28.
struct QuarantineScript {
    private let transition: SchemaTransition
    let table: QuarantineTable
    private(set) var reasons: [QuarantineReason] = []
    /// Rows that break a rule by their own values.
    private(set) var failing: [String] = []
    /// Rows whose mandatory relationship refers only to quarantined rows. Repeated until no more are found.
    private(set) var following: [String] = []
    /// Rows that repeat the values of another row. Selected last, because quarantined rows do not count.
    private(set) var duplicates: [String] = []

    init(_ transition: SchemaTransition, _ checks: [ScriptCheck]) {
        self.transition = transition
        table = QuarantineTable(transition.source)
        for check in checks {
            let reason = QuarantineReason(kind: check.kind, property: check.property, text: check.reason)
            guard let selection = select(from: check.source, check.failing, reason) else { continue }
            if check.kind == .duplicate { duplicates.append(selection) } else { failing.append(selection) }
        }
        for entity in transition.entities where !entity.destination.layout.isAbstract { addFollowers(of: entity) }
    }

    private mutating func select(
        from source: String, _ keys: String, and condition: String = "", _ reason: QuarantineReason
    ) -> String? {
        guard let source = transition.source.tables.first(where: { $0.name == source }) else { return nil }
        reasons.append(reason)
        return table.insertion(from: source, keys, and: condition, reason: reasons.count - 1)
    }

    private mutating func addFollowers(of entity: EntityTransition) {
        let layout = entity.destination.layout
        for slot in 0..<layout.slotCount {
            guard let relationship = layout.properties[slot] as? NSRelationshipDescription, !relationship.isOptional,
                let link = LinkTransition.source(of: entity, slot, in: transition)
            else { continue }
            let least = relationship.isToMany ? relationship.minCount : 1
            guard least > 0 else { continue }
            let lost = table.has("B", of: link.tableB)
            let keys =
                "SELECT A FROM (\(link.query(transition.dialect))) AS L WHERE \(lost) AND (SELECT COUNT(*) FROM (\(link.query(transition.dialect))) AS M "
                + "WHERE M.A = L.A AND NOT \(table.has("M.B", of: link.tableB))) < \(least)"
            let (source, own) = (transition.source, transition.dialect.names.key)
            let selection = select(
                from: link.tableA, keys,
                and: " AND \(source.entity(of: entity.source.table)) = \(source.literal(entity.oldNumber)) "
                    + "AND NOT \(table.has(own, of: link.tableA))",
                QuarantineReason(
                    kind: nil, property: relationship.name,
                    text: "The mandatory relationship leads to rows in the quarantine"))
            if let selection { following.append(selection) }
        }
    }

    /// Deletes the rows from the source tables, after references to them have become null.
    ///
    /// - Parameter tables: the names of the tables with quarantined rows.
    func removal(from tables: Set<String>) -> [String] {
        var seen: Set<String> = []
        let references = transition.source.entities.flatMap { mapping in
            (0..<mapping.layout.slotCount).flatMap { slot -> [String] in
                guard let link = SourceLink(mapping, slot, transition.source) else { return [] }
                return end(of: link, tables)
            }
        }
        let dialect = transition.dialect
        return references.filter { seen.insert($0).inserted }
            + tables.sorted().map {
                "DELETE FROM \(dialect.qualified($0)) WHERE \(table.has(dialect.names.key, of: $0))"
            }
    }

    private func end(of link: SourceLink, _ tables: Set<String>) -> [String] {
        if let join = link.join {
            let ends = [(join.isOwner, link.tableA), (!join.isOwner, link.tableB)].filter { tables.contains($0.1) }
            return ends.map { isOwner, name in
                "DELETE FROM \(join.table.sql) WHERE \(table.has(join.table.column(of: isOwner), of: name))"
            }
        }
        let ends = [
            (link.keyInA, link.orderOfA, link.tableA, link.tableB),
            (link.keyInB, link.orderOfB, link.tableB, link.tableA),
        ]
        return ends.compactMap { key, order, holder, target in
            guard let key, tables.contains(target) else { return nil }
            let dialect = transition.dialect
            let columns = [key.key, key.entity, order].compactMap { $0 }.map { "\(dialect.quoted($0)) = NULL" }
            return "UPDATE \(dialect.qualified(holder)) SET \(columns.joined(separator: ", ")) WHERE "
                + table.has(dialect.quoted(key.key), of: target)
        }
    }
}
