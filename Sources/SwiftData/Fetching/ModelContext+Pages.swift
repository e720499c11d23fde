// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads lists of models page by page, with cursors.

public import CoreData
import Foundation

extension ModelContext {
    /// Returns the models of a descriptor that follow a cursor, and the cursor of the next ones.
    ///
    /// ```swift
    /// let descriptor = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.number)])
    /// let first = try context.page(descriptor, size: 2)
    /// let second = try context.page(descriptor, after: first.next, size: 2)
    /// ```
    ///
    /// Each model with unchanged sort values is on one page, in order, even if others are inserted or deleted between
    /// the pages. Unsaved changes of this context count, as in `fetch(_:)`.
    ///
    /// - Parameters:
    ///   - descriptor: condition and order, without limit and offset.
    ///   - cursor: of the page before, from a descriptor with the same condition and order; nil for the first page.
    ///   - size: the number of models of a full page.
    ///   - key: signs the cursor, so that a client cannot change it; nil for a checksum.
    /// - Returns: a page. `next` is nil if no models follow.
    /// - Throws: a `FetchCursorError` for a cursor of another descriptor, class or version of the class, for a changed
    ///   one, and for a descriptor with a window. Otherwise as `fetch(_:)`.
    /// - Important: call on the context's actor.
    /// - Complexity: one statement, which reads the page and one more row, with an index of `#Index` if it fits.
    /// - SeeAlso: `NSManagedObjectContext.page(_:after:size:signedWith:)`.
    public func page<T>(
        _ descriptor: FetchDescriptor<T>, after cursor: FetchCursor? = nil, size: Int, signedWith key: Data? = nil
    ) throws -> FetchPage<T> where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        let page = try asking(descriptor) { try below.page(request, after: cursor, size: size, signedWith: key) }
        return FetchPage(results: page.results.compactMap { $0.model(as: T.self) }, next: page.next)
    }
}
