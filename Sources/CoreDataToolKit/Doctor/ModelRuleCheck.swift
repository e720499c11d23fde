// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Validates every object of a store with the framework's own validation, page by page.

import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// The validation rules of a model, applied to the objects of a store.
struct ModelRuleCheck {
    private let context: NSManagedObjectContext
    private let model: NSManagedObjectModel
    private let limit: Int

    /// The failures of one rule at one property.
    private struct Location: Hashable {
        let rule: String
        let property: String
        /// The broken predicate, or the reason.
        let detail: String
    }

    private init(
        _ url: URL, type: String, _ model: NSManagedObjectModel, leavesNoTrace: Bool, examples: Int
    ) throws {
        self.model = model
        limit = examples
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url,
            options: [
                NSReadOnlyPersistentStoreOption: true, storeLeavesNoTraceOption: leavesNoTrace,
                NSIgnorePersistentStoreVersioningOption: true,
            ])
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Checks an XML or binary store, or one on a server. Its structure was checked before.
    static func check(
        wholeStoreAt url: URL, model modelURL: URL?, version: String?, inference: ModelInference? = nil,
        _ options: Doctor.Options,
        _ report: (Finding) throws -> Void
    ) throws {
        // Files of these kinds keep no rules: without a model only their reading can be checked.
        let store = try OpenedStore(url, model: modelURL, version: version, inference: inference)
        guard store.origin == .file || store.origin == .cache else { return }
        let document = WorkingModel.document(
            for: store.document, entities: store.file.entityNames, keepsRules: true)
        let check = try ModelRuleCheck(
            url.isServer ? url : url.resolvingSymlinksInPath(), type: store.type,
            NSManagedObjectModel(document: document),
            leavesNoTrace: true, examples: options.examples)
        try check.run { rule, entity, property, tally, text in
            guard let known = DoctorRule.named(rule), options.rules.isEmpty || options.rules.contains(rule) else {
                return
            }
            try report(
                Finding(
                    rule: rule, severity: known.severity, entity: entity, property: property, count: tally.count,
                    objects: tally.objects, text: text, consequence: known.consequence))
        }
    }

    typealias Report = (
        _ rule: String, _ entity: String, _ property: String, _ tally: Tally, _ text: String
    ) throws -> Void

    fileprivate static func check(_ examination: Examination, _ report: Report) throws {
        let store = examination.store
        guard let model = store.model, store.tables != nil else { return }
        let check = try ModelRuleCheck(
            store.location.url, type: NSSQLiteStoreType, model, leavesNoTrace: store.location.isInPlace,
            examples: examination.options.examples)
        try check.run(report)
    }

    private func run(_ report: Report) throws {
        let entities = model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
        for entity in entities {
            let found = try context.performAndWait { try failures(of: entity) }
            for (location, tally) in found.sorted(by: {
                ($0.key.rule, $0.key.property) < ($1.key.rule, $1.key.property)
            }) {
                let objects = "\(tally.count) object\(tally.count == 1 ? "" : "s") of \(entity.name ?? "")"
                let text =
                    switch location.rule {
                    case "value.missing": "\(objects) lack a value of '\(location.property)', which is mandatory."
                    case "value.count": "\(objects) have too few or too many members in '\(location.property)'."
                    case "value.range": "'\(location.property)' of \(objects) does not fit the type of the number."
                    default: "'\(location.property)' of \(objects) breaks a rule: \(location.detail)"
                    }
                try report(location.rule, entity.name ?? "", location.property, tally, text)
            }
        }
    }

    private func failures(of entity: NSEntityDescription) throws -> [Location: Tally] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        request.fetchBatchSize = Query.pageSize
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = entity.relationshipsByName.values
            .filter { $0.isToMany && ($0.minCount > 0 || $0.maxCount > 0 || !$0.validationPredicates.isEmpty) }
            .map(\.name).sorted()
        let objects = try context.fetchPaged(request, keptPages: 1)
        let line = ProgressLine("Validating \(entity.name ?? "")", total: objects.count)
        defer { line.finish() }
        var result: [Location: Tally] = [:]
        for position in objects.indices {
            let object = try objects.object(at: position)
            do {
                try object.validateForUpdate()
            } catch {
                let all = (error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error as NSError]
                for failure in all {
                    result[Self.location(failure), default: Tally(limit: limit)].add(
                        object.objectID.uriRepresentation().absoluteString)
                }
            }
            line.advance(to: position + 1)
        }
        return result
    }

    private static func location(_ error: NSError) -> Location {
        let property = error.userInfo[NSValidationKeyErrorKey] as? String ?? ""
        let predicate = error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
        let rule: String =
            switch error.code {
            case 1570: "value.missing"
            case 1580, 1590: "value.count"
            case 1610 where predicate == nil, 1620 where predicate == nil: "value.range"
            default: "value.rule"
            }
        return Location(
            rule: rule, property: property, detail: predicate?.syntax.description ?? error.localizedDescription)
    }
}

extension Examination {
    func checkModelRules() throws {
        // An inferred model has no rules.
        if store.inferred != nil { return }
        do {
            try ModelRuleCheck.check(self) { rule, entity, property, tally, text in
                try note(
                    rule, entity, property, tally, text,
                    repair: rule == "value.missing" ? try defaultValue(entity, property) : nil)
            }
        } catch let error as OutputFailure {
            throw error
        } catch {
            try note("store.refused", nil, nil, "The framework refuses the store: \(ToolError.text(of: error))")
        }
    }

    /// The repair that sets the model's default; nil if no column is empty: a value that merely reads as nil stays.
    private func defaultValue(_ entity: String, _ property: String) throws -> Repair? {
        guard let stored = store.tables?.entity(entity),
            let attribute = stored.attributes.first(where: { $0.name == property }), attribute.columns.count == 1,
            let value = store.model?.entitiesByName[entity]?.attributesByName[property]?.defaultValue,
            let literal = Self.literal(value)
        else { return nil }
        let column = attribute.columns[0].sql
        let isEmpty = "Z_ENT = \(stored.number) AND \(column) IS NULL"
        let count = try store.count("SELECT COUNT(*) FROM \(stored.tableSQL) WHERE \(isEmpty)")
        guard count > 0 else { return nil }
        return Repair(
            .statements([Repair.update(stored.tableSQL, ["\(column) = \(literal)"], where: isEmpty)]),
            "\(Self.rows(count)) of \(stored.table) get the default \(literal).")
    }

    /// The value as a column keeps it; nil for kinds of values that are rare as defaults.
    private static func literal(_ value: Any) -> String? {
        switch value {
        case let text as String: text.sqlLiteral
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }
}
