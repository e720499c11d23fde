// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes dictionaries of objects with unsaved changes, by the code that makes them of rows.

import Foundation

enum ObjectDictionaries {
    /// - Parameter objects: all objects that match.
    static func shape(_ request: DictionaryRequest, of fetch: BoundFetch, _ objects: [NSManagedObject]) throws
        -> [[String: Any]]
    {
        try DictionaryShaping(request, of: fetch).shape(objects)
    }
}

extension NSManagedObject: ShapedRow {
    func shapedValue(forKey key: String) throws -> Any? { value(forKey: key) }

    var shapedResult: AnyHashable { objectID }

    var shapedLayout: EntityLayout { objectID.layout }
}
