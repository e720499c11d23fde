// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A stack on a store that Apple's framework wrote, through the public interface.

import CoreDataTestSupport
import Foundation
import SQLiteDriver

@testable import CoreData

/// A coordinator and a context on a copy of a store.
final class FixtureStack {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Numbers of the store's entities by name, as `Z_PRIMARYKEY` has them.
    let numbers: [String: Int64]
    /// The columns of each property. Other tests prove them.
    let schema: Schema
    /// Columns that triggers or the store itself compute, by table.
    let computedColumns: [String: Set<String>]
    /// Removes the file at the end.
    var fixture: AnyObject?

    init(_ url: URL, _ model: NSManagedObjectModel) throws {
        self.url = url
        self.model = model
        PlainBytesTransformer.standIn(for: model)
        numbers = FileManager.default.fileExists(atPath: url.path) ? try Self.numbers(url) : [:]
        let names = Set(numbers.keys)
        configuration =
            names.isEmpty || names == Set(model.entitiesByName.keys)
            ? nil
            : model.configurations.first { configuration in
                Set((model.entities(forConfigurationName: configuration) ?? []).compactMap(\.name)) == names
            }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url)
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        schema = try (store as! SQLiteStore).opened().schema
        var computed = try Self.columnsOfTriggers(url)
        for mapping in schema.entities {
            let derived = mapping.layout.properties.filter { $0 is NSDerivedAttributeDescription }.map(\.name)
            computed[mapping.table.name, default: []].formUnion(RowComparison.columns(mapping, Set(derived)))
        }
        computedColumns = computed
    }

    deinit { close() }

    /// Another stack on the same file, with nothing in memory yet.
    func reopened() throws -> FixtureStack {
        close()
        let stack = try FixtureStack(url, model)
        stack.fixture = fixture
        return stack
    }

    func close() {
        context.reset()
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// Entities of the store, superentities first.
    var entities: [NSEntityDescription] { schema.entities.map(\.layout.entity) }
    var concreteEntities: [NSEntityDescription] { entities.filter { !$0.isAbstract } }

    func objects(_ entity: NSEntityDescription) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
        request.includesSubentities = false
        return try context.fetch(request)
    }

    func contents() throws -> StoreContents { try StoreContents(url) }

    func mapping(_ entity: NSEntityDescription) -> EntityMapping {
        schema.mapping(coordinator.model.layout(named: entity.name!)!)!
    }

    /// From statements like `UPDATE ZBOOK SET ZPAGESCOUNT = …`.
    private static func columnsOfTriggers(_ url: URL) throws -> [String: Set<String>] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        var result: [String: Set<String>] = [:]
        for entry in try connection.schema() where entry.type == "trigger" {
            for match in (entry.sql ?? "").matches(of: /UPDATE (\w+) SET (\w+) =/) {
                result[String(match.1), default: []].insert(String(match.2))
            }
        }
        return result
    }

    private static func numbers(_ url: URL) throws -> [String: Int64] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        var result: [String: Int64] = [:]
        for row in try connection.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") {
            guard let name = row[0].textValue, let number = row[1].integerValue else { continue }
            result[name] = number
        }
        return result
    }
}

extension NSManagedObject {
    /// The key of the object's row, from the public form of its id.
    var rowKey: Int64 { Int64(objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? -1 }

    /// "Entity/key".
    var label: String { "\(entity.name ?? "")/\(rowKey)" }

    /// Members of a relationship to one or many, in their order where they have one.
    func destinations(_ name: String) -> [NSManagedObject] {
        switch value(forKey: name) {
        case let object as NSManagedObject: [object]
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }
}

extension NSEntityDescription {
    /// Relationships that a store keeps, by name.
    var storedRelationships: [NSRelationshipDescription] {
        relationshipsByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }

    var storedAttributes: [NSAttributeDescription] {
        attributesByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }

    /// The entity itself, or the first subentity that can have objects.
    var firstConcrete: NSEntityDescription? {
        isAbstract ? subentities.lazy.compactMap(\.firstConcrete).first : self
    }
}
