// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of a fetch as a collection that creates objects one page at a time; not part of Apple's API.

import CoreDataFoundation
import Foundation

/// The results of a fetch, in order, in bounded memory: the keys of all results, and the objects of a few pages.
///
/// `NSManagedObjectContext.fetchPaged(_:keptPages:)` creates it. The list does not change after that fetch: inserting,
/// changing or deleting records adds, removes and moves nothing. Accessing a position creates the objects of its page,
/// or finds them registered; they are released with the page, unless they are retained elsewhere. Do not retain objects
/// longer than needed, and memory stays bounded: eight bytes for each result (ten, if entities or stores are mixed),
/// the kept pages, and unsaved insertions.
///
/// Objects are primed faults, or have their values if `returnsObjectsAsFaults` is false. A record that was deleted
/// after the fetch is a fault, which fires as `shouldDeleteInaccessibleFaults` determines. With
/// `retainsRegisteredObjects` the context retains all objects that were ever created.
///
/// - Important: use it on the context's queue. It retains the context.
/// - Complexity: one statement for each page, store and root entity that is read; rows in the row cache are not read.
public final class PagedResults<Element: NSManagedObject>: RandomAccessCollection {
    private let pages: ResultPages

    init(_ pages: ResultPages) { self.pages = pages }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of results, fixed at the fetch.
    public var endIndex: Int { pages.keys.count }

    /// The number of objects that are read at a time.
    public var pageSize: Int { pages.size }

    /// The object at a position; reads its page unless it is kept.
    ///
    /// A failed read cannot throw here: the object is a fault, which reads as nil as long as its row cannot be read,
    /// and the next `save()` throws the store's error and writes nothing, until `rollback()` or `reset()`.
    /// `object(at:)` throws instead. Traps for a position out of bounds.
    public subscript(position: Int) -> Element {
        check(position)
        do {
            return typed(try pages.object(at: position))
        } catch {
            pages.state.failures.note(error)
            return typed(pages.unreadObject(at: position))
        }
    }

    /// The object at a position; reads its page unless it is kept.
    ///
    /// - Throws: a store's error if the page cannot be read. Nothing is changed then, and the call can be repeated.
    public func object(at position: Int) throws -> Element {
        check(position)
        do {
            return typed(try pages.object(at: position))
        } catch {
            throw CoreDataError.request(error, entity: pages.entityName)
        }
    }

    /// The id of the object at a position; reads nothing. Temporary for an unsaved insertion.
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
