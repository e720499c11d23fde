// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores with changes of their model, for tests that interrupt migrations.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// A change of the museum's model, or of one that statements cannot migrate.
enum MigrationScenario: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case filled, renumbered, removedAttribute, removedEntity, renamedEntity, retyped, ordered, unordered, toMany
    case inlineData, rebuilt, everything, byObjects
    case quarantined, quarantinedByObjects

    var testDescription: String { rawValue }

    /// The scenarios of each run: one of each kind of migration.
    static let short: [MigrationScenario] = [.everything, .byObjects, .quarantined]

    static let byStatements = allCases.filter { $0 != .byObjects && !$0.quarantines }

    var quarantines: Bool { self == .quarantined || self == .quarantinedByObjects }

    var options: [AnyHashable: Any] {
        MigratingStore.migrating.merging([
            MigrationOption.rebuilds: self == .rebuilt, MigrationOption.quarantine: quarantines,
        ]) { $1 }
    }

    var old: NSManagedObjectModel {
        if quarantines { return QuarantineLibrary.old() }
        guard self == .byObjects else { return MuseumModel.make() }
        return version { model in
            model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("photo", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
            }
        }
    }

    var new: NSManagedObjectModel {
        if quarantines { return QuarantineLibrary.new(byObjects: self == .quarantinedByObjects) }
        guard self != .byObjects else {
            return version { model in
                let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
                model.entity("Cat", parent: animal) {
                    $0.attribute("photo", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
                }
            }
        }
        let model = MuseumModel.make()
        change(model)
        return model
    }

    private func change(_ model: NSManagedObjectModel) {
        let entities = model.entitiesByName
        let exhibit = entities["Exhibit"]
        switch self {
        case .filled: exhibit?.attribute("added", .stringAttributeType, default: "new")
        case .renumbered: model.entity("Aardvark")
        case .removedAttribute: exhibit?.properties.removeAll { $0.name == "text" || $0.name == "scan" }
        case .removedEntity:
            model.entities.removeAll { $0.name == "Tour" }
            exhibit?.properties.removeAll { $0.name == "tours" }
        case .renamedEntity:
            entities["Room"]?.renamingIdentifier = "Room"
            entities["Room"]?.name = "Hall"
        case .retyped, .rebuilt: exhibit?.attributesByName["small"]?.attributeType = .doubleAttributeType
        case .ordered: exhibit?.relationshipsByName["keywords"]?.isOrdered = true
        case .unordered: entities["Tour"]?.relationshipsByName["stops"]?.isOrdered = false
        case .toMany: exhibit?.relationshipsByName["neighbour"]?.maxCount = 0
        case .inlineData: exhibit?.attributesByName["scan"]?.allowsExternalBinaryDataStorage = false
        case .everything:
            for other in [Self.filled, .renumbered, .retyped, .ordered, .unordered] { other.change(model) }
            entities["Room"]?.attributesByName["name"]?.renamingIdentifier = "name"
            entities["Room"]?.attributesByName["name"]?.name = "title"
        case .byObjects, .quarantined, .quarantinedByObjects: break
        }
    }

    /// A closed store of the old version.
    func store() throws -> MigratingStore {
        if quarantines { return try QuarantineLibrary.store(.sqlite) }
        if self == .byObjects {
            return try MigratingStore(old) { context in
                for number in 0..<12 {
                    context.make("Animal", ["name": "A\(number)"])
                    context.make("Cat", ["name": "C\(number)", "photo": Data(repeating: 1, count: number * 20_000)])
                }
            }
        }
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 15, scans: 120_000)
        try museum.coordinator.remove(museum.store)
        return try MigratingStore(copyOf: museum.stack.folder, museum.stack.url.lastPathComponent)
    }
}

extension MigratingStore {
    /// A copy of the folder of a store.
    convenience init(copyOf folder: URL, _ name: String, _ kind: StoreKind = .sqlite) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: place)
        self.init(at: place.appending(path: name), kind)
    }

    func copied() throws -> MigratingStore { try MigratingStore(copyOf: folder, url.lastPathComponent) }

    /// All values of all objects, as lines of text.
    func account(_ model: NSManagedObjectModel) throws -> [String] {
        let context = try open(model, options: [NSPersistentStoreTimeoutOption: 2])
        var lines: [String] = []
        for entity in model.entities where entity.superentity == nil {
            lines += try context.all(entity.name ?? "").map(Self.line)
        }
        try close(context)
        return lines.sorted()
    }

    /// All values in the stores of quarantined rows next to this one.
    func quarantines(_ model: NSManagedObjectModel) throws -> [[String]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let files = names.filter { $0.contains(".quarantine-") && $0.hasSuffix(".sqlite") && !$0.hasPrefix(".") }
        return try files.sorted().map { try MigratingStore(copyOf: folder, $0).account(model) }
    }

    private static func line(_ object: NSManagedObject) -> String {
        let properties = object.entity.propertiesByName.values.sorted { $0.name < $1.name }
        return place(object) + properties.map { " \($0.name)=\(text(object.value(forKey: $0.name)))" }.joined()
    }

    private static func place(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.rowKey)"
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let object as NSManagedObject: place(object)
        case let set as NSOrderedSet: set.array.map { ($0 as? NSManagedObject).map(place) ?? "" }.joined(separator: "<")
        case let set as Set<NSManagedObject>: set.map(place).sorted().joined(separator: "+")
        case let data as Data: "\(data.count) bytes of \(data.first ?? 0)"
        case let value?: "\(value)"
        }
    }
}
