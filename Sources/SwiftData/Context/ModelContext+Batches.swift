// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletions and updates of many models at once.

import CoreData
import Foundation

extension ModelContext {
    /// Marks all models that match a condition. The next save deletes them; `rollback()` removes the marks.
    ///
    /// In a context without other changes, and without a model that the records could concern, the save deletes them
    /// with one statement for each entity.
    ///
    /// - Parameters:
    ///   - model: the class of the models.
    ///   - predicate: the condition; nil for all models.
    ///   - includeSubclasses: whether models of subclasses are marked, too.
    /// - Throws: the errors of a fetch; then nothing is marked.
    public func delete<T>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws where T: PersistentModel {
        synchronize()
        let (request, evaluatesModels) = try FetchTranslation(FetchDescriptor<T>(predicate: predicate), self).parts()
        request.includesSubentities = includeSubclasses
        if !evaluatesModels, container.ownStores.isEmpty, try waits(T.self, request) { return }
        for row in try FetchErrors.mapped(T.self, { try below.fetch(request) }) {
            if row.isInserted { row.isForgotten = true }
            below.delete(row)
        }
    }

    /// Whether the deletion needs no marks: the save executes it with a statement, unless no record matches.
    private func waits<T: PersistentModel>(_ type: T.Type, _ request: NSFetchRequest<ModelRow>) throws -> Bool {
        guard !isShared, let deletion = DeferredDeletion(request, in: below) else { return false }
        if try !hasAny(type, request) { return true }
        waiting = deletion
        noteChange()
        return true
    }

    private func hasAny<T: PersistentModel>(_ type: T.Type, _ request: NSFetchRequest<ModelRow>) throws -> Bool {
        request.fetchLimit = 1
        defer { request.fetchLimit = 0 }
        return try FetchErrors.mapped(type) { try below.count(for: request) } > 0
    }

    /// Marks the records of a deletion that waits for the save.
    func markDeferred() throws {
        guard let deletion = waiting else { return }
        waiting = nil
        do {
            try deletion.mark(in: below)
        } catch {
            waiting = deletion
            throw error
        }
    }

    /// Deletes the records of a deletion that waits for the save, and nothing else.
    func runWaiting() throws -> [NSManagedObjectID] {
        guard let deletion = waiting else { return [] }
        let ids = try deletion.run(in: below)
        waiting = nil
        container.announceDeletion(ids)
        return ids
    }

    /// Deletes the records that match a condition at once, with one statement for each entity. Delete rules hold, the
    /// history records the deletions, and registered models become deleted. Unsaved models stay.
    ///
    /// - Returns: the number of deleted records.
    /// - Throws: the errors of a fetch; then nothing is deleted.
    @discardableResult
    public func delete<T>(
        immediately model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws -> Int where T: PersistentModel {
        synchronize()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: Schema.entityName(for: model))
        request.predicate = try predicate.map { try FetchTranslation<T>.predicate($0, self) }
        request.includesSubentities = includeSubclasses
        let batch = NSBatchDeleteRequest(fetchRequest: request)
        batch.resultType = .resultTypeObjectIDs
        let result =
            try asking(FetchDescriptor(predicate: predicate)) { try below.execute(batch) } as? NSBatchDeleteResult
        let ids = result?.result as? [NSManagedObjectID] ?? []
        container.announceDeletion(ids)
        synchronize()
        return ids.count
    }

    /// Sets a property of the records that match a condition at once, with one statement. The history records the
    /// updates, and registered models get the value. Unsaved models stay as they are.
    ///
    /// - Returns: the number of updated records.
    /// - Throws: `unsupportedKeyPath` by `~=` for a property that is no stored attribute; the errors of a fetch.
    @discardableResult
    public func update<T, Value: Codable>(
        model: T.Type, set keyPath: WritableKeyPath<T, Value>, to value: Value, where predicate: Predicate<T>? = nil
    ) throws -> Int where T: PersistentModel {
        synchronize()
        let path = ModelKeyPaths.name(of: keyPath)
        guard let name = path?.split(separator: ".").first.map(String.init), path == name || path == "\(name).\(name)"
        else {
            throw ModelError(
                .unsupportedKeyPath, entity: Schema.entityName(for: model), "\(keyPath) is no stored attribute")
        }
        let batch = NSBatchUpdateRequest(entityName: Schema.entityName(for: model))
        batch.predicate = try predicate.map { try FetchTranslation<T>.predicate($0, self) }
        guard let attribute = container.schemaModel.entity(of: model)?.attributesByName[name] else {
            throw ModelError(
                .unknownSchema, entity: Schema.entityName(for: model), "the container's schema has no '\(name)'")
        }
        batch.propertiesToUpdate = [name: try ValueForms.engineValue(value, in: attribute) ?? NSNull()]
        batch.resultType = .updatedObjectIDsResultType
        let result = try FetchErrors.mapped(T.self) { try below.execute(batch) } as? NSBatchUpdateResult
        let ids = result?.result as? [NSManagedObjectID] ?? []
        container.announce(ids, NSUpdatedObjectsKey)
        synchronize()
        return ids.count
    }
}
