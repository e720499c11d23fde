// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps each slot of each entity to a table and its columns.

import Foundation

/// The tables of one store, for the entities of its configuration.
package final class Schema: @unchecked Sendable {  // immutable after init
    package let model: ModelLayout
    package let tables: [EntityTable]
    package let joinTables: [JoinTable]
    private let mappings: [EntityMapping?]
    private let layoutsByNumber: [Int64: EntityLayout]
    package let dialect: any Dialect

    /// The schema of a new store.
    ///
    /// - Parameter entities: the entities of the store; nil for all entities of the model.
    package convenience init(model: ModelLayout, entities: Set<String>?, dialect: any Dialect) {
        self.init(model: model, entities: entities, dialect: dialect, keeping: nil)
    }

    /// - Parameter naming: the names of join tables to keep from another store; nil for a new store.
    convenience init(model: ModelLayout, entities: Set<String>?, dialect: any Dialect, keeping naming: JoinNaming?) {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var numbers: [Int: Int64] = [:]
        for (position, layout) in layouts.enumerated() { numbers[layout.index] = Int64(position + 1) }
        self.init(
            SchemaBuild(
                model: model, layouts: layouts, numbers: numbers, inventory: nil, naming: naming, dialect: dialect))
    }

    /// The schema of an existing store.
    ///
    /// - Throws: `SchemaMismatch` when a required table or column is missing.
    package convenience init(
        model: ModelLayout, entities: Set<String>?, in inventory: StoreInventory, dialect: any Dialect
    ) throws {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var build = SchemaBuild(
            model: model, layouts: layouts, numbers: try inventory.numbers(of: layouts), inventory: inventory,
            naming: nil, dialect: dialect)
        build.run()
        if !build.missing.isEmpty { throw SchemaMismatch(missing: build.missing) }
        self.init(build, isBuilt: true)
    }

    private init(_ build: consuming SchemaBuild, isBuilt: Bool = false) {
        var build = build
        if !isBuilt { build.run() }
        model = build.model
        dialect = build.dialect
        tables = build.tables
        joinTables = build.joins
        mappings = build.mappings
        layoutsByNumber = Dictionary(
            build.mappings.compactMap { $0.map { ($0.number, $0.layout) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The entities of the store in the order of their numbers.
    package var entities: [EntityMapping] { mappings.compactMap { $0 } }

    /// The numbers of an entity and its subentities in this store.
    package func familyNumbers(of layout: EntityLayout) -> [Int64] {
        layout.familyIndexes.compactMap { mapping($0)?.number }
    }

    /// nil for an entity that the store does not contain.
    package func mapping(_ layout: EntityLayout) -> EntityMapping? { mappings[layout.index] }
    package func mapping(_ index: Int) -> EntityMapping? { mappings.indices.contains(index) ? mappings[index] : nil }
    /// - Throws: 134070 for an entity outside of the store.
    package func held(_ index: Int) throws -> EntityMapping {
        if let mapping = mapping(index) { return mapping }
        throw CoreDataError.storeOperation("The store does not hold the entity \(model.layouts[index].name).")
    }
    /// nil if no entity of the store has the number.
    package func layout(number: Int64) -> EntityLayout? { layoutsByNumber[number] }
    /// nil also if the entity is not a destination of the relationship.
    package func index(number: Int64, destinationOf place: SlotDescriptor) -> Int? {
        guard let index = layoutsByNumber[number]?.index, index >= place.destination, index < place.destinationEnd
        else {
            return nil
        }
        return index
    }

    package func joinTables(declaredBy layout: EntityLayout) -> [JoinTable] {
        joinTables.filter { $0.owner === layout }
    }
}
