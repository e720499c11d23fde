// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The accessors that `@Model` writes, overloaded by the type of the property: relationships. SwiftData-R1 to R4.

import CoreData

/// Not for direct use.
extension ModelRow {
    // MARK: To one

    /// Reads a property of this type.
    @inlinable public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Model?.Type
    ) -> Model? {
        _loadDestination(slot, key, Model.self)
    }

    /// Its callers know the type of the optional; here each read would have to look it up.
    @usableFromInline func _loadDestination<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Model.Type
    ) -> Model? {
        if wasDeleted { return nil }
        guard let row: ModelRow = _destination(slot, key) else { return nil }
        return row.knownModel(as: type) ?? retained { row.model(as: type, for: self) }
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Model.Type
    ) -> Model {
        _loadDestination(slot, key, type) ?? missingDestination(key)
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Model.Type, initial: @autoclosure () -> Model
    ) -> Model {
        _loadDestination(slot, key, type) ?? initial()
    }

    /// Reads a property of this type.
    @inlinable public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Model?.Type, initial: @autoclosure () -> Model?
    ) -> Model? {
        _loadDestination(slot, key, Model.self)
    }

    private func missingDestination<Model: PersistentModel>(_ key: StaticString) -> Model {
        preconditionFailure(
            "'\(entity.name ?? "").\(key)' of \(objectID.uriRepresentation()) leads to no \(Model.self): make the "
                + "property optional where models can lose it.")
    }

    /// Sets a property of this type.
    @inlinable public func _store<Model: PersistentModel>(_ value: Model, _ slot: Int, _ key: StaticString) {
        _storeDestination(value, slot, key)
    }

    /// Sets a property of this type.
    @inlinable public func _store<Model: PersistentModel>(_ value: Model?, _ slot: Int, _ key: StaticString) {
        _storeDestination(value, slot, key)
    }

    /// As `_loadDestination`.
    @usableFromInline func _storeDestination(_ value: (any PersistentModel)?, _ slot: Int, _ key: StaticString) {
        if wasDeleted { return warnOfLink(self, key) }
        guard let other = value.flatMap({ present($0, key) }) else {
            // A new row has none anyway.
            if !_isNew || (_destination(slot, key) as ModelRow?) != nil { _setDestination(nil, slot, key) }
            return
        }
        if !isInContext(of: other) { joinContext(other) }
        _setDestination(other, slot, key)
    }

    // MARK: To many

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: [Model].Type
    ) -> [Model] {
        if wasDeleted { return [] }
        return retained { memberArray(slot) { ($0 as? ModelRow)?.model(as: Model.self) } }
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: [Model]?.Type
    ) -> [Model]? {
        let all = _load(slot, key, [Model].self)
        return all
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Set<Model>.Type
    ) -> Set<Model> {
        let all = _load(slot, key, [Model].self)
        return Set(all)
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: [Model].Type, initial: @autoclosure () -> [Model]
    ) -> [Model] {
        _load(slot, key, [Model].self)
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: [Model]?.Type, initial: @autoclosure () -> [Model]?
    ) -> [Model]? {
        _load(slot, key, [Model]?.self)
    }

    /// Reads a property of this type.
    public func _load<Model: PersistentModel>(
        _ slot: Int, _ key: StaticString, _ type: Set<Model>.Type, initial: @autoclosure () -> Set<Model>
    ) -> Set<Model> {
        _load(slot, key, Set<Model>.self)
    }

    /// Sets a property of this type.
    public func _store<Model: PersistentModel>(_ value: [Model], _ slot: Int, _ key: StaticString) {
        if wasDeleted { return warnOfLink(self, key) }
        if value.isEmpty, _isNew, hasNoMembers(slot) { return }
        let rows = value.compactMap { present($0, key) }
        for row in rows { joinContext(row) }
        setMemberArray(rows, slot)
        if rows.count > 1 { (managedObjectContext as? EngineContext)?.assigned.note(self, slot) }
    }

    /// Sets a property of this type.
    public func _store<Model: PersistentModel>(_ value: [Model]?, _ slot: Int, _ key: StaticString) {
        _store(value ?? [], slot, key)
    }

    /// Sets a property of this type.
    public func _store<Model: PersistentModel>(_ value: Set<Model>, _ slot: Int, _ key: StaticString) {
        _store(Array(value), slot, key)
    }

    // MARK: Both

    /// The row of an initialized model, with a reference back to it.
    static func of(_ model: any PersistentModel) -> ModelRow {
        let row = model._$row
        row._know(model)
        return row
    }

    /// The row of a model before it is related; nil, and a line in the log, if the model's record is gone (S57).
    private func present(_ model: any PersistentModel, _ key: StaticString) -> ModelRow? {
        let row = ModelRow.of(model)
        if !row.wasDeleted { return row }
        warnOfLink(row, key)
        return nil
    }

    private func warnOfLink(_ gone: ModelRow, _ key: StaticString) {
        ModelLog.warn(
            "'\(entity.name ?? "").\(key)' of \(objectID.uriRepresentation()) is not set: "
                + "\(gone.objectID.uriRepresentation()) was deleted, or its context is gone.")
    }

    /// Before two models are related: a row without a context enters the context of the other one. If neither has a
    /// context, both rows move to one managed object model.
    private func joinContext(_ other: ModelRow) {
        let (here, there) = (managedObjectContext, other.managedObjectContext)
        if here === there {
            if here == nil, !isOfModel(of: other) { LinkedRows.unite(self, other) }
            return
        }
        switch (here as? EngineContext, there as? EngineContext) {
        case (let here?, nil) where !other.wasDeleted: here.insertGraph(of: other)
        case (nil, let there?) where !wasDeleted: there.insertGraph(of: self)
        case (.some, .some):
            preconditionFailure(
                "\(self) and \(other) belong to different contexts, so they cannot be related: use "
                    + "`context.model(for: other.persistentModelID)`.")
        default: break
        }
    }

    /// Whether its deletion was saved, or its record is gone: references to it are dangling.
    var wasDeleted: Bool { isInaccessible || !isInContext && (hasRecordKey || isForgotten) }
}
