// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The managed object behind a model. SwiftData-M1 to M5.

public import CoreData
import Foundation

// Sendable: confined to its context, as every managed object.
/// The values of one model: a managed object. Not for direct use, except through `model.managedObject`.
///
/// The model owns its row; the row knows its model weakly, and holds it while the context holds the row for its
/// changes.
public final class ModelRow: NSManagedObject, @unchecked Sendable {
    @exclusivity(unchecked) private weak var instance: (any PersistentModel)?
    /// Whether the context holds the row for unsaved changes; then the row holds its model.
    @exclusivity(unchecked) private var isHeld = false
    @exclusivity(unchecked) private var heldInstance: (any PersistentModel)?
    /// Made with its model by the program, not by a fetch; not for later models of the same row.
    @exclusivity(unchecked) public var _isNew = false
    /// Deleted before it was ever saved.
    @exclusivity(unchecked) var isForgotten = false
    /// The slot with observers that run now; negative for none.
    @exclusivity(unchecked) private var observedSlot = -1

    /// Makes the row of a record, or of a new model.
    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    // MARK: Instances

    /// The row for a model that is being made: the one that a fetch hands over, or a new one.
    public static func _make(_ entity: _ClassEntity) -> ModelRow {
        if let given = RowHandover.take(for: entity) { return given }
        let row = ModelRow(entity: entity.companion.entity, insertInto: nil)
        row._isNew = true
        return row
    }

    /// The model is made as far as its class goes.
    public func _know(_ model: any PersistentModel) {
        if instance == nil {
            instance = model
            if isHeld { heldInstance = model }
        }
        let type = type(of: model)
        if _isNew, let companion = entityCompanion, companion.type != type { LinkedRows(from: self).become(type) }
    }

    /// The one model of the row in its context; made where there is none.
    var model: any PersistentModel {
        if let instance { return instance }
        return makeModel(entityCompanion?.type as? any PersistentModel.Type)
    }

    private func makeModel(_ type: (any PersistentModel.Type)?) -> any PersistentModel {
        guard let type else {
            preconditionFailure(
                "\(self) belongs to no model class: it was fetched by a model without SwiftData's classes. Fetch it "
                    + "in a ModelContext.")
        }
        func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel { makeModel(as: type) }
        return make(type)
    }

    /// The model, of a known class.
    func model<M: PersistentModel>(as type: M.Type) -> M? {
        if let instance {
            // A cast takes longer than a comparison, and in most cases the class is the one asked for.
            return Swift.type(of: instance) == type ? unsafeDowncast(instance, to: type) : instance as? M
        }
        if entityCompanion?.type == type { return makeModel(as: type) }
        return model as? M
    }

    private func makeModel<M: PersistentModel>(as type: M.Type) -> M {
        // The initial values that stand in the class are not those of the row.
        _isNew = false
        let before = RowHandover.begin(self)
        let model = M(_$row: self)
        RowHandover.end(before)
        instance = model
        if isHeld { heldInstance = model }
        return model
    }

    /// The model goes to the row of the record that it updated. Both rows are of one class (SwiftData-C7).
    func handOver(to keeper: ModelRow) {
        guard let instance else { return }
        instance._$adopt(keeper)
        keeper._know(instance)
    }

    /// While the context holds the row, the row holds the model, so values that no store has stay.
    public override func _heldByContext(_ isHeld: Bool) {
        self.isHeld = isHeld
        if isHeld { (managedObjectContext as? ContextBelow)?.above?.noteChange() }
        heldInstance = isHeld ? instance : nil
    }

    // MARK: Observers

    /// Whether a setter runs the observers of the property; not, where it is called by one of them.
    public func _beginObserved(_ slot: Int) -> Bool {
        if observedSlot == slot { return false }
        observedSlot = slot
        return true
    }

    /// The observers are done.
    public func _endObserved() { observedSlot = -1 }

    // MARK: While an instance is made

    /// Sets an initial value; the row of a record has its values.
    @inlinable @inline(__always) public func _initialize(_ body: (ModelRow) -> Void) { if _isNew { body(self) } }

    /// Itself: as `_SubclassValues._settled(_:)`.
    @inlinable @inline(__always) public func _settled(_ row: ModelRow) -> ModelRow { self }

    /// The end of an initializer of the class.
    public func _settle(_ model: any PersistentModel, _ row: ModelRow) { _know(model) }
}

/// The initial values of the properties of a subclass: its initializers set them before there is a row. Not for direct
/// use.
public final class _SubclassValues {
    private var pending: [(ModelRow) -> Void] = []

    /// Begins without values.
    public nonisolated init() {}

    /// Keeps an initial value.
    public nonisolated func _initialize(_ body: @escaping (ModelRow) -> Void) { pending.append(body) }

    /// The row with all values so far.
    public nonisolated func _settled(_ row: ModelRow) -> ModelRow {
        if !pending.isEmpty { flush(row) }
        return row
    }

    private nonisolated func flush(_ row: ModelRow) {
        let all = pending
        pending = []
        for body in all { body(row) }
    }

    /// Forgets the initial values: the row is that of a record.
    public nonisolated func _discard() { pending = [] }

    /// The end of an initializer of the class.
    public nonisolated func _settle(_ model: any PersistentModel, _ row: ModelRow) {
        row._know(model)
        flush(row)
    }
}

/// Stands for a property while an instance is made. Not for direct use.
public struct _SwiftDataNoType {
    /// Begins without values.
    @inlinable public nonisolated init() {}
}

/// The type of an expression, which is not evaluated. Not for direct use.
public nonisolated func _typeOf<Value>(_ value: @autoclosure () -> Value) -> Value.Type { Value.self }
