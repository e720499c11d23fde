// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names the searched attributes of an entity to full-text search.

package import CoreDataFoundation

extension EntityLayout: SearchSchema {
    package var searchName: String { name }

    package var objectColumns: [SearchColumn] { entity.searchedAttributes.map(\.column) }

    package var queryColumns: [SearchColumn] { entity.searchColumns }

    package func hasAttribute(_ key: String) -> Bool {
        guard let slot = slot(key) else { return false }
        return properties[slot] is NSAttributeDescription
    }
}
