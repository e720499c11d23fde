// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps each slot of each entity to a table and its columns.

import Foundation

/// The tables of one store, for the entities of its configuration.
final class Schema: @unchecked Sendable {  // immutable after init
    let model: ModelLayout
    let tables: [EntityTable]
    let joinTables: [JoinTable]
    private let mappings: [EntityMapping?]
    private let layoutsByNumber: [Int64: EntityLayout]

    /// The schema of a new store.
    ///
    /// - Parameter entities: those of the store; nil for all entities of the model.
    convenience init(model: ModelLayout, entities: Set<String>? = nil) {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var numbers: [Int: Int64] = [:]
        for (position, layout) in layouts.enumerated() { numbers[layout.index] = Int64(position + 1) }
        self.init(SchemaBuild(model: model, layouts: layouts, numbers: numbers, inventory: nil))
    }

    /// The schema of an existing store.
    ///
    /// - Throws: `SchemaMismatch` when a required table or column is missing.
    convenience init(model: ModelLayout, entities: Set<String>? = nil, in inventory: StoreInventory) throws {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var build = SchemaBuild(
            model: model, layouts: layouts, numbers: try inventory.numbers(of: layouts), inventory: inventory)
        build.run()
        if !build.missing.isEmpty { throw SchemaMismatch(missing: build.missing) }
        self.init(build, isBuilt: true)
    }

    private init(_ build: consuming SchemaBuild, isBuilt: Bool = false) {
        var build = build
        if !isBuilt { build.run() }
        model = build.model
        tables = build.tables
        joinTables = build.joins
        mappings = build.mappings
        layoutsByNumber = Dictionary(
            build.mappings.compactMap { $0.map { ($0.number, $0.layout) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The entities of the store in the order of their numbers.
    var entities: [EntityMapping] { mappings.compactMap { $0 } }

    /// nil for an entity outside of the store.
    func mapping(_ layout: EntityLayout) -> EntityMapping? { mappings[layout.index] }
    func mapping(_ index: Int) -> EntityMapping? { mappings.indices.contains(index) ? mappings[index] : nil }
    /// nil for a number of no entity of the store.
    func layout(number: Int64) -> EntityLayout? { layoutsByNumber[number] }
    /// nil also for the number of an entity that is no destination of the relationship.
    func index(number: Int64, destinationOf place: SlotPlace) -> Int? {
        guard let index = layoutsByNumber[number]?.index, index >= place.destination, index < place.destinationEnd
        else {
            return nil
        }
        return index
    }

    func joinTables(declaredBy layout: EntityLayout) -> [JoinTable] { joinTables.filter { $0.owner === layout } }
}
