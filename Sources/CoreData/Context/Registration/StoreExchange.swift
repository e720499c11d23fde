// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the objects of a context from one store of its coordinator to another one that has the same records.

import Foundation

extension NSManagedObjectContext {
    /// On the context's queue.
    ///
    /// - Parameters:
    ///   - identity: the old store's; passed on to the new one already, where ids stay the same.
    ///   - keys: new keys by the index of the root entity and the old key; nil where they stay the same. Then objects
    ///     may have unsaved changes.
    func follow(
        _ old: any RecordStore, _ identity: StoreIdentity, to new: any RecordStore, _ keys: [ObjectKey: Int64]?
    ) {
        state.scope.endReads()
        state.scope.restart()
        guard let registry = state.storedRegistry else { return }
        for object in state.tracker.unsaved where object.rare?.assignedStore === old {
            object.rare?.assignedStore = new
        }
        if identity === new.identity { return registry.followIdentity(identity, letGoOfFiles) }
        state.undo.endEpoch()
        for object in registry.objects() where object.table.home === identity {
            if keys != nil { object.turnIntoFault() } else { letGoOfFiles(object) }
            let key = keys == nil ? object.key : keys?[ObjectKey(object.table.layout.rootIndex, object.key)]
            if let key { registry.rekey(object, new.identity, key: key, remembered: false) }
        }
    }

    /// Large data lies in files of the old store, which may go.
    private func letGoOfFiles(_ object: NSManagedObject) {
        guard object.snapshot?.hasFiles == true || object.rare?.committed?.hasFiles == true else { return }
        guard object.hasChanges else { return object.turnIntoFault() }
        // Data that cannot be read is nil, before and after.
        object.snapshot = object.snapshot.map { (try? $0.withoutFiles().0) ?? $0 }
        if let rare = object.rare, let committed = rare.committed {
            rare.committed = (try? committed.withoutFiles().0) ?? committed
        }
    }
}

extension ObjectRegistry {
    fileprivate func followIdentity(_ identity: StoreIdentity, _ body: (NSManagedObject) -> Void) {
        findStore(of: identity)
        for object in objects() where object.table.home === identity { body(object) }
    }
}
