// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes managed objects the objects of a full-text search.

package import CoreDataFoundation

extension NSManagedObject: SearchedObject {
    package var searchSchema: any SearchSchema { table.layout }
}
