// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the objects of a context from one store of its coordinator to another store with the same records.

import Foundation

extension NSManagedObjectContext: ExchangeFollower {
    var childContexts: [NSManagedObjectContext] { state.relations.children.all() }

    func blocked<T>(_ body: () throws -> T) throws -> T { try queue.sync(self, body) }

    func follow(
        _ old: any RecordStore, _ identity: StoreIdentity, to new: any RecordStore, _ keys: [ObjectKey: Int64]?
    ) {
        state.scope.endReads()
        state.scope.restart()
        guard let registry = state.storedRegistry else { return }
        for object in state.tracker.unsaved where object.objectExtension?.assignedStore === old {
            object.objectExtension?.assignedStore = new
        }
        if identity === new.identity { return registry.followIdentity(identity, releaseFiles) }
        state.undo.endEpoch()
        for object in registry.objects() where object.table.home === identity {
            if keys != nil { object.turnIntoFault() } else { releaseFiles(object) }
            let key = keys == nil ? object.key : keys?[ObjectKey(object.table.layout.rootIndex, object.key)]
            if let key { registry.rekey(object, new.identity, key: key, remembered: false) }
        }
    }

    /// Large data is in files of the old store, which may be removed.
    private func releaseFiles(_ object: NSManagedObject) {
        guard object.snapshot?.hasFiles == true || object.objectExtension?.committed?.hasFiles == true else { return }
        guard object.isUnsaved else { return object.turnIntoFault() }
        // Data that cannot be read is nil, before and after.
        object.snapshot = object.snapshot.map { (try? $0.withoutFiles().0) ?? $0 }
        if let objectExtension = object.objectExtension, let committed = objectExtension.committed {
            objectExtension.committed = (try? committed.withoutFiles().0) ?? committed
        }
    }
}

extension ObjectRegistry {
    fileprivate func followIdentity(_ identity: StoreIdentity, _ body: (NSManagedObject) -> Void) {
        findStore(of: identity)
        for object in objects() where object.table.home === identity { body(object) }
    }
}
