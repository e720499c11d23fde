// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of a context's stores.

import CoreData
import CoreDataModeling
import Foundation

extension ModelContext {
    /// The transactions that a descriptor selects, in the order of the saves unless it has another one.
    ///
    /// Transactions of another type than `DefaultHistoryTransaction` are those of custom stores.
    ///
    /// - Throws: `historyTokenExpired` by `~=` where the history after a token of the predicate was deleted;
    ///   `invalidTransactionFetchRequest` for transactions that no store has, and for a predicate that cannot be
    ///   evaluated.
    public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
        synchronize()
        let own = try container.ownStores.compactMap { try ($0.store as? any HistoryProviding)?.answer(descriptor) }
        guard T.self == DefaultHistoryTransaction.self else {
            if !own.isEmpty { return Array(own.joined()) }
            throw ModelError(
                .invalidTransactionFetchRequest,
                "the stores have a history of DefaultHistoryTransaction, not of \(T.self)")
        }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try below.execute(request) as? NSPersistentHistoryResult
        let found = (result?.result as? [NSPersistentHistoryTransaction] ?? []).map {
            HistoryReading(container).transaction($0)
        }
        try checkTokens(descriptor.predicate)
        var chosen = found.compactMap { $0 as? T } + own.joined()
        if let predicate = descriptor.predicate {
            do {
                chosen = try chosen.filter { try predicate.evaluate($0) }
            } catch {
                throw ModelError(.invalidTransactionFetchRequest, "the predicate cannot be evaluated: \(error)", error)
            }
        }
        if !descriptor.sortBy.isEmpty { chosen.sort(using: descriptor.sortBy) }
        return descriptor.fetchLimit == 0 ? chosen : Array(chosen.prefix(Int(clamping: descriptor.fetchLimit)))
    }

    /// If a token is older than the first transaction, the history after it is incomplete.
    private func checkTokens<T>(_ predicate: Predicate<T>?) throws {
        guard let predicate else { return }
        for token in PredicateTokens.all(in: predicate.expression) {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: NSPersistentHistoryToken(token.tokenValue ?? [:]))
            request.resultType = .count
            try HistoryErrors.mapped { _ = try below.execute(request) }
        }
    }

    /// Deletes the transactions that a descriptor selects, and all earlier ones.
    ///
    /// - Throws: the errors of `fetchHistory(_:)`.
    public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
        for own in container.ownStores { try (own.store as? any HistoryProviding)?.delete(descriptor) }
        if T.self != DefaultHistoryTransaction.self, !container.ownStores.isEmpty { return }
        let found = try fetchHistory(descriptor).map(\.timestamp.timeIntervalSinceReferenceDate)
        guard let last = found.max() else { return }
        // The moment after the last one, which is thereby included.
        let end = Date(timeIntervalSinceReferenceDate: last.nextUp)
        _ = try below.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: end))
    }
}

extension HistoryProviding {
    /// nil for transactions of another kind.
    fileprivate func answer<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        guard let own = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
        return try fetchHistory(own) as? [T]
    }

    fileprivate func delete<T>(_ descriptor: HistoryDescriptor<T>) throws {
        if let own = descriptor as? HistoryDescriptor<HistoryType> { try deleteHistory(own) }
    }
}

/// The tokens in a predicate.
private enum PredicateTokens {
    static func all(in part: Any) -> [DefaultHistoryToken] {
        if let token = part as? DefaultHistoryToken { return [token] }
        if part is AnyKeyPath { return [] }
        return Mirror(reflecting: part).children.flatMap { all(in: $0.value) }
    }
}

/// Errors of histories as errors about models.
enum HistoryErrors {
    static func mapped<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == 134301 {
            throw ModelError(.historyTokenExpired, error.localizedDescription, error)
        }
    }
}

/// Transactions of the engine as those of models.
struct HistoryReading {
    private let schema: Schema

    init(_ container: ModelContainer) { schema = container.schema }

    func transaction(_ source: NSPersistentHistoryTransaction) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            token: DefaultHistoryToken([source.storeID: source.transactionNumber]),
            transactionIdentifier: source.transactionNumber, timestamp: source.timestamp, author: source.author,
            bundleIdentifier: source.bundleID, processIdentifier: source.processID, storeIdentifier: source.storeID,
            changes: (source.changes ?? []).compactMap { change($0, source.transactionNumber) })
    }

    private func change(_ source: NSPersistentHistoryChange, _ number: Int64) -> HistoryChange? {
        let name = source.changedObjectID.entity.name
        guard let type = schema.types.first(where: { Schema.name(of: $0) == name }) else { return nil }
        return change(source, number, type)
    }

    private func change<Model: PersistentModel>(
        _ source: NSPersistentHistoryChange, _ number: Int64, _ type: Model.Type
    ) -> HistoryChange {
        let identifier = PersistentIdentifier(source.changedObjectID)
        switch source.changeType {
        case .insert:
            return .insert(
                DefaultHistoryInsert<Model>(
                    changeIdentifier: source.changeID, transactionIdentifier: number,
                    changedPersistentIdentifier: identifier))
        case .update:
            let names = Set(source.updatedProperties?.map(\.name) ?? [])
            return .update(
                DefaultHistoryUpdate<Model>(
                    changeIdentifier: source.changeID, transactionIdentifier: number,
                    changedPersistentIdentifier: identifier,
                    updatedAttributes: ModelKeyPaths.paths(of: type).filter { names.contains($0.name) }.map(\.path)))
        case .delete:
            let tombstone = source.tombstone ?? [:]
            let values = ModelKeyPaths.paths(of: type).compactMap {
                property -> (PartialKeyPath<Model>, any Sendable)? in
                guard let stored = tombstone[property.name],
                    let value = TombstoneValue.value(stored, as: Swift.type(of: property.path as AnyKeyPath).valueType)
                else { return nil }
                return (property.path, value)
            }
            return .delete(
                DefaultHistoryDelete<Model>(
                    changeIdentifier: source.changeID, transactionIdentifier: number,
                    changedPersistentIdentifier: identifier, tombstone: HistoryTombstone(values)))
        }
    }
}

extension ModelKeyPaths {
    /// The properties of a class and its superclasses, as key paths of the class where it declares them.
    static func paths<Model: PersistentModel>(
        of type: Model.Type
    ) -> [(name: String, path: any PartialKeyPath<Model> & Sendable)] {
        type.schemaMetadata.compactMap { property in
            guard let path = property.keypath as? PartialKeyPath<Model> else { return nil }
            return (property.name, SendablePath.of(path))
        }
    }
}

/// The last value of an attribute, as the property has it.
private enum TombstoneValue {
    static func value(_ stored: Any, as type: any Any.Type) -> (any Sendable)? {
        func number<Number: ManagedAttributeValue & Sendable>(_ type: Number.Type) -> (any Sendable)? {
            EngineValue.swift(stored, as: type)
        }
        switch stored {
        case let text as String: return text
        case let date as Date: return date
        case let data as Data: return data
        case let uuid as UUID: return uuid
        case let url as URL: return url
        default: break
        }
        switch ValueForms.unwrapped(type) {
        case is Int.Type: return number(Int.self)
        case is Int64.Type: return number(Int64.self)
        case is Int32.Type: return number(Int32.self)
        case is Int16.Type: return number(Int16.self)
        case is Bool.Type: return number(Bool.self)
        case is Double.Type: return number(Double.self)
        case is Float.Type: return number(Float.self)
        case is Decimal.Type: return number(Decimal.self)
        default: return nil
        }
    }
}
