// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Examines a store in PostgreSQL: tables, rows and links by statements, the rules of the model object by object.

import CoreData
import CoreDataModelFiles
import CoreDataPostgreSQL
import Foundation

extension Doctor {
    func examineServer(
        _ options: Options, _ step: (String) -> Void, _ report: (Finding) throws -> Void
    ) throws {
        step("metadata")
        let model = try serverModel()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store: NSPersistentStore
        do {
            store = try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                options: [NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true])
        } catch let error as CocoaError where error.code == .persistentStoreIncompatibleSchema {
            return try note(options, "table.missing", nil, nil, 1, [], ToolError.text(of: error), report)
        }
        defer { try? coordinator.remove(store) }
        guard let server = store as? PostgreSQLStore else { return }
        for defect in try server.defects(limit: options.examples, step: step) {
            let objects = defect.keys.map { key in
                defect.entity.map { "x-coredata://\(store.identifier ?? "")/\($0)/p\(key)" } ?? "\(key)"
            }
            try note(
                options, defect.rule, defect.entity, defect.property, defect.count, objects, defect.text, report)
        }
        guard options.rules.isEmpty || options.rules.contains(where: Self.isRuleOfModel) else { return }
        step("rules of the model")
        try ModelRuleCheck.check(wholeStoreAt: url, model: modelURL, version: version, options, report)
    }

    private static func isRuleOfModel(_ id: String) -> Bool { id.hasPrefix("value.") || id.hasPrefix("store.") }

    /// The model with its rules, and without classes.
    private func serverModel() throws -> NSManagedObjectModel {
        PostgreSQLStore.register()
        let metadata = try PostgreSQLStore.metadataForPersistentStore(with: url)
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let document: ModelDocument
        if let modelURL {
            document = try ModelBundle.load(contentsOf: modelURL, version: version)
        } else if let cached = try PostgreSQLStore.cachedModel(at: url, options: nil) {
            document = cached.document()
        } else {
            throw ToolError("\(url.shownPlace) keeps no model: name it with --model.")
        }
        return NSManagedObjectModel(
            document: WorkingModel.document(for: document, entities: names, keepsRules: true))
    }

    private func note(
        _ options: Options, _ rule: String, _ entity: String?, _ property: String?, _ count: Int, _ objects: [String],
        _ text: String, _ report: (Finding) throws -> Void
    ) throws {
        guard let known = DoctorRule.named(rule), options.rules.isEmpty || options.rules.contains(rule) else { return }
        try report(
            Finding(
                rule: rule, severity: known.severity, entity: entity, property: property, count: count,
                objects: objects, text: text, consequence: known.consequence))
    }
}
