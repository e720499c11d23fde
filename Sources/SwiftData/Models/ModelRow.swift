// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The managed object that backs a model. SwiftData-M1 to M7, SwiftData-L1 to L5.

public import CoreData
import Foundation

// Sendable: confined to its context, as every managed object.
/// The values of one model: a managed object. Not for direct use, except through `model.managedObject`.
///
/// The model owns its row. The row refers to its model weakly, and retains it while the context retains the row for its
/// changes.
public final class ModelRow: NSManagedObject, @unchecked Sendable {
    @exclusivity(unchecked) private var link = OwnerLink()
    /// The last model that was made because a to-one of this one was read. SwiftData-M7.
    @exclusivity(unchecked) private var reached = KeptOwner()
    /// Whether the context retains the row for unsaved changes; then the row retains its model.
    @exclusivity(unchecked) private var isHeld = false
    /// Whether the program made it with its model, not a fetch. False for later models of the same row.
    @exclusivity(unchecked) public var _isNew = false
    /// Whether its class is that of its model.
    @exclusivity(unchecked) private var isKnown = false
    /// Whether it was deleted before it was ever saved.
    @exclusivity(unchecked) var isForgotten = false
    /// The slot with observers that run now; negative for none.
    @exclusivity(unchecked) private var observedSlot: Int32 = -1
    /// nil for most rows.
    @exclusivity(unchecked) private var rare: Rare?
    @exclusivity(unchecked) private var heldModel: AnyObject?

    private final class Rare {
        /// The properties with stored bytes that could not be decoded as their type; true for those that the program
        /// has set since. SwiftData-V6.
        var unreadable: [String: Bool]?
        /// The row whose model took this one as its backing data. A read of that row may go on, and does not retain it
        /// (`_ModelHold`).
        var former: ModelRow?
    }

    private var unreadable: [String: Bool]? {
        get { rare?.unreadable }
        set {
            if rare == nil { rare = Rare() }
            rare?.unreadable = newValue
        }
    }

    /// Makes the row of a record, or of a new model.
    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    // MARK: Instances

    /// The row for a model that is being made: the one that a fetch hands over, or a new one.
    public static func _make(_ entity: _ClassEntity) -> ModelRow {
        if let given = RowInjection.take(for: entity) { return given }
        let row = ModelRow(entity: entity.companion.entity, insertInto: nil)
        row._isNew = true
        return row
    }

    /// Refers back to a model, which is initialized up to its own class.
    public func _know(_ model: any PersistentModel) {
        if isKnown { return }
        isKnown = true
        if link.owner == nil { lead(to: model) }
        let type = type(of: model)
        if _isNew, let companion = entityCompanion, companion.type != type { LinkedRows(from: self).become(type) }
    }

    private func lead(to model: AnyObject) {
        link.lead(to: model)
        if isInHeldContext { keepContext() } else if isHeld { heldModel = model }
    }

    /// The model no longer retains the row.
    func endHold() { link.endHold() }

    /// The only model of the row in its context; made on first use.
    var model: any PersistentModel {
        if let model = link.owner as? any PersistentModel { return model }
        return makeModel(entityCompanion)
    }

    private func makeModel(_ companion: EntityCompanion?) -> any PersistentModel {
        guard let companion, let type = companion.type as? any PersistentModel.Type else {
            preconditionFailure(
                "\(self) belongs to no model class: it was fetched by a model without SwiftData's classes. Fetch it "
                    + "in a ModelContext.")
        }
        func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
            makeModel(as: type, of: companion.root, RowInjection.current)
        }
        return make(type)
    }

    /// The model, if there is one and it is of exactly this class.
    @inline(__always) func knownModel<M: PersistentModel>(as type: M.Type) -> M? {
        // A cast takes longer than a comparison, and in most cases the class is the expected one.
        guard let model = link.owner, Swift.type(of: model) == type else { return nil }
        return unsafeDowncast(model, to: type)
    }

    /// The model, of a known class.
    ///
    /// - Parameter reader: the row with the to-one that was read; it retains a model that is made (SwiftData-M7).
    func model<M: PersistentModel>(as type: M.Type, for reader: ModelRow? = nil) -> M? {
        if let model = link.owner {
            return Swift.type(of: model) == type ? unsafeDowncast(model, to: type) : model as? M
        }
        let companion = entityCompanion
        guard let companion, companion.type == type else {
            let made = makeModel(companion) as? M
            if let made { reader?.reach(made) }
            return made
        }
        let made = makeModel(as: type, of: companion.root, RowInjection.current)
        reader?.reach(made)
        return made
    }

    /// The models of rows, in their order, of a known class; without those of other classes.
    ///
    /// In one pass: most rows of a fetch have one table, and so one class.
    static func models<M: PersistentModel>(of rows: [ModelRow], as type: M.Type) -> [M] {
        var all: [AnyObject] = []
        all.reserveCapacity(rows.count)
        let injection = RowInjection.current
        var table: ObjectIdentifier?
        var root: AnyObject?
        for row in rows {
            if let model = row.link.owner {
                if Swift.type(of: model) == type || model is M { all.append(model) }
                continue
            }
            if row.tableName != table {
                table = row.tableName
                let companion = row.entityCompanion
                root = companion?.type == type ? companion?.root : nil
            }
            if let root {
                all.append(row.makeModel(as: type, of: root, injection))
            } else if let model = row.makeModel(row.entityCompanion) as? M {
                all.append(model)
            }
        }
        return CollectionCasts.array(all)
    }

    /// Releases the rows that its relationships reach.
    public override func _lettingGoOfOthers() { reach(nil) }

    /// Its relationships will be read again.
    public override func didTurnIntoFault() {
        reach(nil)
        if unreadable != nil { unreadable = nil }
    }

    private func reach(_ model: AnyObject?) {
        // Models that refer to one another would keep their context for ever. SwiftData-L4.
        if model != nil, isInHeldContext { return }
        _ = reached.replace(with: model)
    }

    /// Lets the model retain the context, which has lost its handle. SwiftData-L2.
    private func keepContext() {
        if let below = managedObjectContext as? EngineContext { link.keep(below.hold()) }
    }

    /// Called before the handle of the context is released: the row releases models.
    func loseHandle() {
        heldModel = nil
        reach(nil)
    }

    /// Lets the model, if there is one, retain the context.
    func keep(_ hold: ContextRetainer) { link.keep(hold) }

    /// - Parameter root: data of the row's root class.
    private func makeModel<M: PersistentModel>(as type: M.Type, of root: AnyObject, _ injection: RowInjection) -> M {
        // The initial values in the class declaration are not those of the row.
        _isNew = false
        let model = injection.hand(self, of: root) { M(_$row: self) }
        lead(to: model)
        return model
    }

    /// Moves the model to the row of the record that it updated. Both rows are of one class (SwiftData-C7).
    func moveModel(to keeper: ModelRow) {
        if let model = link.owner as? any PersistentModel { keeper.take(model, from: self) }
    }

    /// Retains the row that a model leaves, until this one ends.
    func keep(_ former: ModelRow) {
        if former === self { return }
        if rare == nil { rare = Rare() }
        rare?.former = former
    }

    /// Takes over another row's model.
    func take(_ model: any PersistentModel, from former: ModelRow) {
        link.share(with: model)
        model._$adopt(self)
        _know(model)
        if isInHeldContext { keepContext() }
        if former !== self { former.link.part(from: model) }
    }

    /// While the context retains the row, the row retains the model, so that unstored values stay. If models retain the
    /// context, that would be a retain cycle (SwiftData-L3).
    public override func _heldByContext(_ isHeld: Bool) {
        self.isHeld = isHeld
        if isHeld, isInWatchedContext { (managedObjectContext as? EngineContext)?.above?.noteChange() }
        if isHeld, isInHeldContext { keepContext() }
        heldModel = isHeld && !isInHeldContext ? link.owner : nil
        // A to-one may have changed, also by its inverse.
        reach(nil)
    }

    // MARK: Values that were not understood

    func noteUnreadable(_ key: String) {
        if unreadable?[key] != nil || _isNew { return }
        unreadable = (unreadable ?? [:]).merging([key: false]) { known, _ in known }
        (managedObjectContext as? EngineContext)?.hasUnreadable = true
    }

    func hasUnreadable(_ key: String) -> Bool { unreadable?[key] != nil }

    /// The program sets a property.
    func noteReplaced(_ key: StaticString) {
        if unreadable != nil, unreadable?[key.description] != nil { unreadable?[key.description] = true }
    }

    /// A property with a new value whose save would overwrite bytes that could not be decoded.
    var replacedUnread: String? {
        guard let unreadable else { return nil }
        let changed = changedValues()
        return unreadable.keys.sorted().first { unreadable[$0] == true && changed[$0] != nil }
    }

    // MARK: Observers

    /// Whether a setter runs the observers of the property; false within a call of one of them.
    public func _beginObserved(_ slot: Int) -> Bool {
        if observedSlot == slot { return false }
        observedSlot = Int32(slot)
        return true
    }

    /// The observers are done.
    public func _endObserved() { observedSlot = -1 }
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

    /// Reads the row with all values so far.
    @inlinable public nonisolated func _reading<Value>(
        _ row: @autoclosure () -> ModelRow, _ body: (ModelRow) -> Value
    ) -> Value { body(_settled(row())) }

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

/// The type of a property's placeholder while an instance is made. Not for direct use.
public struct _SwiftDataNoType {
    /// Begins without values.
    @inlinable public nonisolated init() {}
}

/// The type of an expression, which is not evaluated. Not for direct use.
public nonisolated func _typeOf<Value>(_ value: @autoclosure () -> Value) -> Value.Type { Value.self }
