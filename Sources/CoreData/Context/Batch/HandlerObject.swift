// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The object that a handler of a batch insertion fills, reused for each record.

import Foundation

/// One object without a context. Each call of the handler receives it with default values; its row then goes to the
/// store.
final class HandlerObject {
    private let layout: EntityLayout
    private let home: StoreIdentity
    private let object: NSManagedObject
    private let freshFlags: ObjectFlags
    /// Whether the slots that the handler sets are recorded, to distinguish them from defaults.
    private let notesGiven: Bool

    /// - Parameter home: the store of the insertion.
    init(_ layout: EntityLayout, _ home: StoreIdentity, notesGiven: Bool) {
        self.layout = layout
        self.home = home
        self.notesGiven = notesGiven
        object = ObjectClasses.resolve(layout.entity).create(layout.entity, nil)
        object.flags.insert(.template)
        freshFlags = object.flags
    }

    /// nil if the handler has ended the request.
    func next(_ handler: (NSManagedObject) -> Bool) throws -> BatchInsertion.Row? {
        renew()
        if handler(object) { return nil }
        let row = object.realized
        let given = notesGiven ? object.objectExtension?.changed ?? SlotSet() : nil
        if row.holdsTemporaryReferences {
            throw CoreDataError.general(
                "A handler of a batch insertion into '\(layout.name)' has set a relationship to an object that was never saved."
            )
        }
        try checkDestinations()
        return BatchInsertion.Row(snapshot: row, given: given)
    }

    /// - Throws: 134081 for an object of another store.
    private func checkDestinations() throws {
        guard let objectExtension = object.objectExtension else { return }
        for slot in layout.toOneSlots {
            guard let other = objectExtension.destinations[Int(layout[slot].ordinal)],
                other.table.home?.identifier != home.identifier, let relationship = layout.relationship(slot)
            else { continue }
            throw CoreDataError.externalRelationship(relationship.qualifiedName, object: other.objectID)
        }
    }

    private func renew() {
        // No context has to be notified, because the object has none. Setting the extension costs more than this test.
        if object.storedExtension != nil || object.flags.contains(.followed) { object.objectExtension = nil }
        object.snapshot = layout.defaults?.copy() ?? .make(layout)
        object.flags = freshFlags
        if notesGiven { object.extensionMade.withChange { _ in } }
    }
}
