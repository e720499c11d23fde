// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The copy of its model that a store keeps.

import CoreDataModelFiles
import Foundation

package enum CachedModel {
    /// The model in a copy; nil if it is unreadable.
    package static func model(_ content: Data) -> NSManagedObjectModel? {
        guard let data = try? RawDeflate.inflate(content), let document = try? KeyedModelReader.read(data) else {
            return nil
        }
        return NSManagedObjectModel(document: document)
    }

    /// The content of the copy of a model.
    package static func content(of model: NSManagedObjectModel) throws -> Data {
        try KeyedModelWriter.modelCache(for: model.document())
    }
}
