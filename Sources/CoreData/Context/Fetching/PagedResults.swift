// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of a fetch as a collection that makes objects a page at a time. Ours, beside Apple's API.

import CoreDataFoundation
import Foundation

/// The results of a fetch, in order, in bounded memory: keys of all results, and the objects of a few pages.
///
/// `NSManagedObjectContext.fetchPaged(_:keptPages:)` makes it. It is the list of the time of that fetch: records that
/// are inserted, changed or deleted afterwards neither come, go nor move. An object is made, or found registered, when
/// its place is asked for, together with its page; it is let go of when its page is, unless somebody else holds it.
/// Hold objects no longer than needed, and memory stays bounded: eight bytes for each result (ten, where entities or
/// stores are mixed), the pages kept, and unsaved insertions.
///
/// Objects are faults with their rows at hand, or have their values if `returnsObjectsAsFaults` is false. A record that
/// was deleted meanwhile is a fault, which fires as `shouldDeleteInaccessibleFaults` says. `retainsRegisteredObjects`
/// makes the context hold all objects that were ever made.
///
/// - Important: use it on the context's queue. It holds the context.
/// - Complexity: one statement for each page, store and root entity that is read; rows that the
///   row cache has are not read.
public final class PagedResults<Element: NSManagedObject>: RandomAccessCollection {
    private let pages: ResultPages

    init(_ pages: ResultPages) { self.pages = pages }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of results, which is fixed when they are fetched.
    public var endIndex: Int { pages.keys.count }

    /// How many objects are read at a time.
    public var pageSize: Int { pages.size }

    /// The object at a position; its page is read, if it is not kept.
    ///
    /// When that fails, nothing can be thrown: the object is a fault, which reads as nil as long as its row cannot be
    /// read, and the next `save()` throws the store's error and writes nothing, until `rollback()` or `reset()`.
    /// `object(at:)` throws instead. Traps for a position that there is none at.
    public subscript(position: Int) -> Element {
        check(position)
        do {
            return typed(try pages.object(at: position))
        } catch {
            pages.state.failures.note(error)
            return typed(pages.unreadObject(at: position))
        }
    }

    /// The object at a position; its page is read, if it is not kept.
    ///
    /// - Throws: a store's error when the page cannot be read. Nothing is changed then; ask again.
    public func object(at position: Int) throws -> Element {
        check(position)
        do {
            return typed(try pages.object(at: position))
        } catch {
            throw CoreDataError.request(error, entity: pages.entityName)
        }
    }

    /// The id of the object at a position; reads nothing. Temporary for an insertion that is not saved.
    public func objectID(at position: Int) -> NSManagedObjectID {
        check(position)
        return pages.id(at: position)
    }

    private func check(_ position: Int) {
        pages.state.checkQueue()
        precondition(
            indices.contains(position), "There is no result at \(position): the fetch found \(count).")
    }

    private func typed(_ object: NSManagedObject) -> Element {
        guard let object = object as? Element else {
            preconditionFailure(
                "\(object.objectID) is a \(type(of: object)), not a \(Element.self): name the class in the model, "
                    + "and use it before objects of its entity are made.")
        }
        return object
    }
}

extension FetchExecution {
    func pages<Element: NSManagedObject>(of type: Element.Type, kept: Int) throws -> ResultPages {
        guard prepared.resultType == .managedObjectResultType else {
            throw CoreDataError.general(
                "Only objects are given page by page: the request for '\(prepared.layout.name)' asks for other results."
            )
        }
        let keys = try resultKeys()
        for kind in keys.kinds {
            let made = state.registry.table(kind.entityIndex, kind.home).objectClass
            guard made is Element.Type else { throw mismatch(made, type) }
        }
        return ResultPages(
            keys, state, prepared, size: fetch.batchSize > 0 ? fetch.batchSize : 100, limit: kept,
            realizes: !prepared.options.contains(.returnsObjectsAsFaults),
            prefetching: prepared.prefetchedKeyPaths ?? [],
            refreshes: prepared.options.contains(.shouldRefreshRefetchedObjects))
    }
}
