// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the flags of an object during a save, and when its values are restored.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Object states in a save") struct SaveStateSpecification {
    /// Proves: M22, M23, F14, F17
    @Test("an insertion is one until it is saved", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let study = try Study(store)
        let witness = study.witness("new")
        try study.context.save()
        #expect(
            witness.news() == [
                "willSave: inserted, changes, persistent, temporary id, changed name", "didSave: ",
            ])
    }

    /// Proves: M22, M23, F14
    @Test("an update is one until it is saved, with its changed values", arguments: StoreKind.all)
    func update(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("old")
        witness.setValue("new", forKey: "name")
        try study.context.save()
        #expect(witness.news() == ["willSave: updated, changes, persistent, changed name", "didSave: "])
        #expect(witness.committedInWillSave as? String == "old")
    }

    /// Proves: M22, M23, F1
    @Test("a purely transient change is saved as a change that writes nothing", arguments: StoreKind.all)
    func transient(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("same")
        witness.setValue("good", forKey: "mood")
        try study.context.save()
        #expect(witness.news() == ["willSave: updated, changes, changed mood", "didSave: "])
    }

    /// Proves: M22, M23
    @Test("a value that is set as it was changes the object, but nothing persistent", arguments: StoreKind.all)
    func sameValue(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("same")
        witness.setValue("same", forKey: "name")
        #expect(witness.hasChanges)
        try study.context.save()
        #expect(witness.news() == ["willSave: updated, changes", "didSave: "])
    }

    /// Proves: M22, M23, F16
    @Test("a deletion is one until it is saved", arguments: StoreKind.all)
    func deletion(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("old")
        study.context.delete(witness)
        try study.context.save()
        #expect(witness.news() == ["willSave: deleted, changes, persistent", "didSave: no context"])
    }

    /// Proves: M23, F13
    @Test("a value set by willSave is changed at once, and saved", arguments: StoreKind.all)
    func inWillSave(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("old")
        witness.nameForSave = "final"
        witness.setValue("good", forKey: "mood")
        try study.context.save()
        #expect(
            witness.news() == [
                "willSave: updated, changes, changed mood", "then: updated, changes, persistent, changed mood name",
                "didSave: ",
            ])
        let context = study.stack.newContext()
        #expect(context.object(with: witness.objectID).value(forKey: "name") as? String == "final")
    }

    /// Proves: M23, M10
    @Test("a save that fails calls no didSave, and leaves the flags", arguments: StoreKind.all)
    func failure(store: StoreKind) throws {
        let study = try Study(store)
        let (witness, invalid) = (try study.saved("old"), try study.saved("valid"))
        witness.setValue("new", forKey: "name")
        invalid.setValue(nil, forKey: "name")
        #expect(study.context.saveFailure()?.code == NSValidationMissingMandatoryPropertyError)
        #expect(witness.news() == ["willSave: updated, changes, persistent, changed name"])
        #expect(witness.isUpdated)
        invalid.setValue("valid again", forKey: "name")
        try study.context.save()
        #expect(witness.news() == ["willSave: updated, changes, persistent, changed name", "didSave: "])
    }

    /// Proves: M23, C21
    @Test("an object gets the reason when its values are put back", arguments: StoreKind.all)
    func snapshotEvents(store: StoreKind) throws {
        let study = try Study(store)
        let witness = try study.saved("old")
        witness.setValue("new", forKey: "name")
        study.context.rollback()
        #expect(witness.events() == [.rollback])
        study.context.refresh(witness, mergeChanges: true)
        #expect(witness.events() == [.refresh])
        study.context.undoManager = UndoManager()
        witness.setValue("new", forKey: "name")
        study.context.undo()
        #expect(witness.events() == [.undoUpdate])
        study.context.delete(witness)
        study.context.undo()
        #expect(witness.events() == [.undoDeletion])
        let other = study.witness("other")
        study.context.undo()
        #expect(other.events() == [.undoInsertion])
    }

    /// Proves: M23, C23
    @Test("a merge policy wakes the object that it changed, and none that stays deleted", arguments: StoreKind.all)
    func mergeEvents(store: StoreKind) throws {
        let study = try Study(store)
        let (kept, gone) = (try study.saved("kept"), try study.saved("gone"))
        let sides = Sides(study.stack)
        try sides.their(kept).setValue("theirs", forKey: "name")
        try sides.their(gone).setValue("theirs", forKey: "name")
        kept.setValue("mine", forKey: "name")
        sides.mine.delete(gone)
        #expect(try sides.save(.object) == nil)
        #expect(kept.events() == [.mergePolicy])
        #expect(gone.events() == [])
    }
}

/// Records its state while it is saved.
private final class Witness: NSManagedObject {
    var nameForSave: String?
    private(set) var committedInWillSave: Any?
    private var notes: [String] = []
    private var snapshotEvents: [NSSnapshotEventType] = []

    override func willSave() {
        super.willSave()
        note("willSave")
        committedInWillSave = committedValues(forKeys: ["name"])["name"]
        guard let nameForSave else { return }
        setValue(nameForSave, forKey: "name")
        note("then")
    }

    override func didSave() {
        super.didSave()
        note("didSave")
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        snapshotEvents.append(flags)
    }

    private func note(_ call: String) {
        let states = [
            ("inserted", isInserted), ("updated", isUpdated), ("deleted", isDeleted), ("changes", hasChanges),
            ("persistent", hasPersistentChangedValues), ("temporary id", objectID.isTemporaryID), ("fault", isFault),
            ("no context", managedObjectContext == nil),
        ]
        let changed = changedValues().keys.sorted().joined(separator: " ")
        let words = states.filter(\.1).map(\.0) + (changed.isEmpty ? [] : ["changed \(changed)"])
        notes.append("\(call): \(words.joined(separator: ", "))")
    }

    /// The records since the last time.
    func news() -> [String] {
        defer { notes = [] }
        return notes
    }

    func events() -> [NSSnapshotEventType] {
        defer { snapshotEvents = [] }
        return snapshotEvents
    }
}

private struct Study {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }

    init(_ store: StoreKind) throws { stack = try Stack(store, NamedModel.make(Witness.self, optional: false)) }

    func witness(_ name: String) -> Witness {
        let witness = Witness(context: context)
        witness.setValue(name, forKey: "name")
        return witness
    }

    func saved(_ name: String) throws -> Witness {
        let witness = witness(name)
        try context.save()
        _ = witness.news()
        return witness
    }
}
