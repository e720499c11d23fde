// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of one evaluation in memory, with their relationships.

/// Rows with their relationships, which row views follow.
package protocol RowGraph: AnyObject {
    var layouts: ModelLayout { get }
    /// nil if the row does not exist.
    func storedRow(_ reference: Reference) throws -> FetchedRow?
    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference]
    /// The representation of an object in dictionaries.
    func result(for key: ObjectKey) -> AnyHashable
}

extension RowGraph {
    /// The key; the caller knows the store.
    package func result(for key: ObjectKey) -> AnyHashable { key }
}
