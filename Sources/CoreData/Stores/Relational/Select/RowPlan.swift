// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns the columns of a row to the slots of a snapshot, once for each entity.

/// One column of one entity, and its slot. A plain value: the loops over rows read nothing else.
package struct ColumnStep {
    package enum Kind: UInt8 {
        case integer, boolean, real, date, string
        /// A to-one relationship to an entity without subentities.
        case key
        /// A to-one relationship with a column for the entity; `extra` is its position.
        case keyAndEntity
        /// A value in a box; `extra` is a position in `RowPlan.codings`.
        case boxed
        /// Data that may be in a file beside the database.
        case external
        /// `extra` is a position in `RowPlan.composites`; `column` is the position of the first leaf.
        case composite
    }

    package var kind: Kind
    package var slot: Int32
    /// The location of the slot: its place's `word`.
    package var word: Int32
    /// The position after the three columns with which every row begins.
    package var column: Int32
    package var extra: Int32 = 0
}

/// The columns that a query for rows of some entities reads, and how they become snapshots.
package final class RowPlan: Sendable {
    package final class Entity: Sendable {
        package let layout: EntityLayout
        package let number: Int64
        package let steps: [ColumnStep]

        package init(layout: EntityLayout, number: Int64, steps: [ColumnStep]) {
            self.layout = layout
            self.number = number
            self.steps = steps
        }
    }

    package struct Composite: Sendable {
        package let leaves: [CompositeLeaf]
        /// If all elements of a mandatory composite lack values, it is an empty dictionary, not nil.
        package let isMandatory: Bool
    }

    /// Names as in SQL, after the three columns with which every row begins.
    package let columns: [String]
    package let entities: [Entity]
    /// Those of boxed values: entities may share a column, and read it differently.
    package let codings: [ColumnCoding]
    package let composites: [Composite]
    package let strings = StringMaker()
    /// Whether a column may refer to an external file.
    package let readsExternalData: Bool
    /// The text that selects rows, up to the condition.
    private let beginning: String
    /// The text that selects rows by their keys, up to the condition on the key.
    package let selection: String
    /// The text that selects the row with one key.
    package let selectionByKey: String

    /// - Parameters:
    ///   - includesDerived: false leaves out columns that the database fills.
    ///   - slots: nil takes all.
    package init(schema: Schema, layouts: [EntityLayout], includesDerived: Bool = true, slots: SlotSet? = nil) {
        var columns = ColumnList()
        var codings: [ColumnCoding] = []
        var composites: [Composite] = []
        var entities: [Entity] = []
        for layout in layouts {
            guard let mapping = schema.mapping(layout) else { continue }
            var steps: [ColumnStep] = []
            for slot in 0..<layout.slotCount
            where (includesDerived || !layout[slot].isDerived) && slots?.contains(slot) != false {
                switch mapping.storage[slot] {
                case .none, .toMany: break
                case .attribute(let attribute):
                    let column = columns.position(of: attribute.name)
                    var step = ColumnStep(
                        kind: .integer, slot: Int32(slot), word: layout[slot].word, column: column)
                    switch attribute.coding {
                    case .integer: step.kind = .integer
                    case .boolean: step.kind = .boolean
                    case .float, .double: step.kind = .real
                    case .date: step.kind = .date
                    case .string: step.kind = .string
                    case .externalBinary: step.kind = .external
                    case .decimal, .uri, .uuid, .binary, .transformable:
                        step.kind = .boxed
                        step.extra = Int32(codings.count)
                        codings.append(attribute.coding)
                    }
                    steps.append(step)
                case .toOne(let names):
                    let column = columns.position(of: names.key)
                    if let entity = names.entity {
                        steps.append(
                            ColumnStep(
                                kind: .keyAndEntity, slot: Int32(slot), word: layout[slot].word, column: column,
                                extra: columns.position(of: entity)))
                    } else {
                        steps.append(
                            ColumnStep(kind: .key, slot: Int32(slot), word: layout[slot].word, column: column))
                    }
                case .composite(let leaves):
                    guard !leaves.isEmpty else { break }
                    let positions = leaves.map { columns.position(of: $0.column.name) }
                    steps.append(
                        ColumnStep(
                            kind: .composite, slot: Int32(slot), word: layout[slot].word, column: positions[0],
                            extra: Int32(composites.count)))
                    composites.append(
                        Composite(leaves: leaves, isMandatory: layout.attribute(slot)?.isOptional == false))
                }
            }
            entities.append(Entity(layout: layout, number: mapping.number, steps: steps))
        }
        let names = columns.names.map(schema.dialect.quoted)
        // Entities that share a plan share a table.
        let table = layouts.lazy.compactMap { schema.mapping($0)?.table }.first
        self.columns = names
        let head = table.map { schema.dialect.head(root: $0.root, alias: nil) } ?? ""
        let key = schema.dialect.quoted(schema.dialect.names.key)
        let source = (table?.sql ?? "") + schema.dialect.subqueryName
        beginning = "SELECT \(head)\(names.map { ", " + $0 }.joined()) FROM \(source) WHERE "
        selection = beginning + "\(key) "
        selectionByKey = selection + "= ?"
        self.entities = entities
        self.codings = codings
        self.composites = composites
        readsExternalData = entities.contains { $0.steps.contains { $0.kind == .external || $0.kind == .composite } }
    }

    /// Selects the rows for which a condition on the columns of the table holds.
    func selection(where condition: SQLText) -> SQLText { SQLText(raw: beginning) + condition }

    private struct ColumnList {
        var names: [String] = []
        private var positions: [String: Int32] = [:]

        mutating func position(of name: String) -> Int32 {
            if let position = positions[name] { return position }
            let position = Int32(names.count)
            positions[name] = position
            names.append(name)
            return position
        }
    }
}
