// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Forwards the requests of coordinator and contexts to a custom incremental store.

import Foundation

extension NSIncrementalStore {
    package var takesObjects: Bool { true }
    package var canRollBack: Bool { false }
    package var guaranteesCommit: Bool { false }

    /// Calls the subclass under the lock, with a context for its answers.
    package final func asked<T>(_ body: (StoreAnswers) throws -> T) throws -> T {
        try asking.withLock {
            guard let layouts, !isClosed, let coordinator = persistentStoreCoordinator else {
                throw CoreDataError.storeOperation(
                    "The store \(CoreDataError.place(url)) is not one of a coordinator's any more.", store: self)
            }
            let context = (coordinator as any AnsweringCoordinator).makeAnsweringContext()
            return try body(StoreAnswers(store: self, model: layouts, context: context))
        }
    }

    package func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try asked { try FetchAnswer($0, fetch).outcome() }
    }

    package func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        FetchExplanation.Store(
            identifier: identity.identifier, type: type, sql: nil, valueTypes: [], queryPlan: [], inMemory: [])
    }

    package func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow]
    {
        try asked { answers in
            let rows = try keys.compactMap { try answers.row($0, root) }
            answers.permit.record(rows)
            return rows
        }
    }

    package func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?)
        throws -> [Int64:
        [Reference]]
    {
        try asked { try $0.members(of: slot, layout, owners) }
    }

    /// A custom store has no earlier states to read.
    package func generation() throws -> (any RecordSource)? { nil }

    package func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        throw CoreDataError.unsupportedRequest("keys without objects", store: self)
    }

    package func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        try asked { answers in
            let ids = try obtainPermanentIDs(for: objects)
            guard ids.count == objects.count else {
                throw answers.wrong("gave \(ids.count) permanent ids for \(objects.count) objects", layout)
            }
            let keys = try ids.map { id in
                try answers.check(id, layout, nil)
                guard id.layout === layout else {
                    throw answers.wrong("gave a permanent id of the entity '\(id.layout.name)'", layout)
                }
                return id.key
            }
            guard Set(keys).count == keys.count else {
                throw answers.wrong("gave one permanent id to several objects", layout)
            }
            return keys
        }
    }

    package func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        try asked { answers in
            var save = IncrementalSave(answers, changes)
            return try save.run(confirm)
        }
    }

    /// nil if the subclass does not support the request.
    package func performUnresolved(_ request: NSPersistentStoreRequest) throws -> Any? {
        do {
            return try asked { answers in
                defer { rowCache.forgetAll() }
                switch try execute(request, with: answers.context) {
                case let result as NSBatchInsertResult: return result.result
                case let result as NSBatchUpdateResult: return result.result
                case let result as NSBatchDeleteResult: return result.result
                case let answer: return answer
                }
            }
        } catch CocoaError.persistentStoreUnsupportedRequestType {
            return nil
        }
    }

    /// Forwards a request of a custom type.
    package final func executeForeign(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try asked { answers in
            let answer = try execute(request, with: answers.context)
            if let result = answer as? NSPersistentStoreResult { return result }
            throw CoreDataError.wrongAnswer(
                "answered a \(Swift.type(of: request)) with a \(Swift.type(of: answer)), not an NSPersistentStoreResult",
                store: self)
        }
    }
}
