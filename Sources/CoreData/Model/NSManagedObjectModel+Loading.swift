// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a model from a file and gives it back as a document.

package import CoreDataModelFiles
import Foundation

extension NSManagedObjectModel {
    /// The descriptions for what stands in a document; never fails, see `check()`.
    package convenience init(document: ModelDocument) {
        self.init()
        ModelLoading.fill(self, from: document)
    }
}
