// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of a batch insertion, one at a time: from its dictionaries, or from a handler.

import Foundation

extension NSBatchInsertRequest {
    /// - Returns: the next row at each call; nil after the last one.
    func rows(
        _ values: BatchValues, _ uniqueness: BatchInsertion.Uniqueness
    ) throws -> () throws -> BatchInsertion.Row? {
        if let managedObjectHandler {
            let object = HandlerObject(
                values.layout, values.home, notesGiven: uniqueness.dependsOnGivenValues(values.layout))
            return { try object.next(managedObjectHandler).map(values.completed) }
        }
        if let dictionaryHandler {
            let dictionary = NSMutableDictionary()
            return {
                dictionary.removeAllObjects()
                return try dictionaryHandler(dictionary) ? nil : values.row(dictionary)
            }
        }
        guard let objects = objectsToInsert else {
            throw CoreDataError.general(
                "The batch insertion into '\(values.layout.name)' has neither objects nor a handler.")
        }
        var position = 0
        return {
            guard position < objects.count else { return nil }
            defer { position += 1 }
            return try values.row(objects[position])
        }
    }
}

extension BatchInsertion.Uniqueness {
    /// The treatment of equal unique values that corresponds to a context's merge policy.
    init(_ mergePolicy: Any) {
        guard let policy = mergePolicy as? NSMergePolicy else {
            preconditionFailure("The context's mergePolicy is no NSMergePolicy but a \(type(of: mergePolicy)).")
        }
        switch policy.mergeType {
        case .errorMergePolicyType: self = .fails
        case .mergeByPropertyObjectTrumpMergePolicyType: self = .updates(givenAlone: true)
        case .overwriteMergePolicyType: self = .updates(givenAlone: false)
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: self = .keepsRecord
        }
    }

    /// Whether the request has to distinguish explicit values of a row from its defaults.
    fileprivate func dependsOnGivenValues(_ layout: EntityLayout) -> Bool {
        guard case .updates(givenAlone: true) = self else { return false }
        return !layout.entity.uniquenessConstraintNames.isEmpty
    }
}
