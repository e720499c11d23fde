// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes keys of the objects and ids in a predicate.

import CoreDataFoundation
import Foundation

extension BoundFetch {
    /// The fetch as one store gets it: objects in the predicate are keys, conditions with code are left out.
    func addressed(to home: StoreIdentity) -> BoundFetch {
        var fetch = self
        let asked = prepared.hasCode ? predicate?.withoutCode : predicate
        fetch.predicate = asked?.mappingConstants(ObjectArgument.replacement(in: home))
        return fetch
    }
}

extension BoundFetch.Result {
    /// The same with the objects in columns and conditions as keys of a store.
    func addressed(to home: StoreIdentity) -> BoundFetch.Result {
        guard case .dictionaries(var request) = self else { return self }
        let replacement = ObjectArgument.replacement(in: home)
        request.having = request.having?.mappingConstants(replacement)
        for position in request.columns.indices {
            guard case .expression(let expression) = request.columns[position].value else { continue }
            request.columns[position].value = .expression(expression.mappingConstants(replacement))
        }
        return .dictionaries(request)
    }
}

extension ObjectArgument {
    /// Replaces the objects and ids of a constant by keys of a store.
    fileprivate static func replacement(in home: StoreIdentity) -> (Any?) -> Any? {
        let owner = home.references == nil ? nil : home.store?.persistentStoreCoordinator
        return { replacing($0, in: home, owner) }
    }

    /// The value with objects and ids as keys of the store asked, in collections too.
    ///
    /// - Parameter owner: the coordinator of a store that may have been added again under another identity.
    private static func replacing(
        _ value: Any?, in home: StoreIdentity, _ owner: NSPersistentStoreCoordinator?
    ) -> Any? {
        guard let value, !FormatArguments.isPlain(Swift.type(of: value)) else { return value }
        if let object = FormatArguments.object(value, as: NSManagedObject.self) {
            if let owner, object.table.home?.hasStore == false { return replacing(object.objectID, in: home, owner) }
            return ObjectArgument(
                key: ObjectKey(object.table.layout.index, object.key), rootIndex: object.table.layout.rootIndex,
                isInStore: object.key > 0 && object.table.home === home)
        }
        if let id = FormatArguments.object(value, as: NSManagedObjectID.self) {
            let id = owner?.presentID(of: id) ?? id
            return ObjectArgument(
                key: id.objectKey, rootIndex: id.layout.rootIndex, isInStore: id.key > 0 && id.home === home)
        }
        guard let members = listMembers(of: value), members.contains(where: { isObject($0) }) else { return value }
        return members.map { replacing($0, in: home, owner) as Any }
    }

    private static func isObject(_ value: Any) -> Bool {
        guard let object = FormatArguments.object(value, as: NSObject.self) else { return false }
        return object is NSManagedObject || object is NSManagedObjectID
    }
}
