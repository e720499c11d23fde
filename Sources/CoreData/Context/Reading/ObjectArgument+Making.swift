// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the objects and ids in a predicate to keys.

import CoreDataFoundation
import Foundation

extension BoundFetch {
    /// The fetch for one store: with keys in place of objects in the predicate, and without conditions that have code.
    func addressed(to home: StoreIdentity) -> BoundFetch {
        var fetch = self
        let asked = prepared.hasCode ? predicate?.withoutCode : predicate
        fetch.predicate = asked?.mappingConstants(ObjectArgument.replacement(in: home))
        return fetch
    }
}

extension BoundFetch.Result {
    /// The same for columns and conditions, with keys of a store in place of objects.
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
    /// Replaces the objects and ids in a constant by keys of a store.
    fileprivate static func replacement(in home: StoreIdentity) -> (Any?) -> Any? {
        let owner = home.references == nil ? nil : home.store?.persistentStoreCoordinator
        return { replacing($0, in: home, owner) }
    }

    /// The value with keys of the store in place of objects and ids, also inside collections.
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
