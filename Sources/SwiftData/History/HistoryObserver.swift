// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the transactions of stores that concern a program. SwiftData-O4.

import CoreData
import Foundation
public import Observation
import Synchronization

/// Counts the transactions that concern a program: of any context, container and process that saves to its stores.
///
///     let observer = try HistoryObserver(
///         observedModels: [Book.self], authors: ["widget"], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { reload() }
///
/// It may be used on any thread. Each save costs a read of the transactions since the last one.
public final class HistoryObserver: Observable {
    /// The container, which the observer keeps.
    public let modelContainer: ModelContainer
    /// The classes whose changes count, with their subclasses; empty for all.
    public let observedModels: [any PersistentModel.Type]
    private let authors: Set<String>
    private let names: Set<String>
    private let registrar = ObservationRegistrar()
    private let reading = NSLock()
    private let state: Mutex<State>
    private var token: (any NSObjectProtocol)?

    private struct State {
        var count = 0
        /// The number of the last examined transaction, by store.
        var numbers: [String: Int64]
    }

    /// Counts from now on, or from tokens on.
    ///
    /// - Parameters:
    ///   - historyTokens: the start of counting, by store; nil for now. Later transactions count at once.
    ///   - observedModels: the classes whose changes count, with their subclasses; empty for all.
    ///   - authors: the authors of the transactions that count; empty for all authors.
    ///   - modelContainer: the stores.
    ///   - isolation: the caller's actor.
    /// - Throws: `historyTokenExpired` by `~=` where the history after a token was deleted,
    ///   `invalidTransactionFetchRequest` for tokens that no built-in store has given, `unknownSchema` for a class that
    ///   the container lacks; else the error of the store.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
        authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        let coordinator = modelContainer.persistentStoreCoordinator
        var numbers = coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers ?? [:]
        for (store, token) in historyTokens ?? [:] {
            guard let given = (token as? DefaultHistoryToken)?.tokenValue?[store] else {
                throw ModelError(
                    .invalidTransactionFetchRequest, "the token \(token) is none of the store '\(store)'")
            }
            numbers[store] = given
        }
        var names: Set<String> = []
        for type in observedModels {
            guard let entity = modelContainer.schemaModel.model.entitiesByName[Schema.name(of: type)] else {
                throw ModelError(
                    .unknownSchema, entity: Schema.name(of: type), "the container's schema has no such class")
            }
            names.formUnion(Self.line(entity))
        }
        self.init(modelContainer, observedModels, authors, names, numbers)
        // Before the numbers are read, so that no transaction is missed in between.
        listen()
        if historyTokens == nil { follow() } else { try readNewTransactions() }
    }

    private init(
        _ container: ModelContainer, _ models: [any PersistentModel.Type], _ authors: Set<String>,
        _ names: Set<String>, _ numbers: [String: Int64]
    ) {
        modelContainer = container
        observedModels = models
        self.authors = authors
        self.names = names
        state = Mutex(State(numbers: numbers))
    }

    private static func line(_ entity: NSEntityDescription) -> [String] {
        [entity.name ?? ""] + entity.subentities.flatMap(line)
    }

    private func listen() {
        let listener = Listener(observer: self)
        token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: modelContainer.persistentStoreCoordinator, queue: nil
        ) { _ in listener.observer?.follow() }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    /// The number of transactions that have been counted so far.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return state.withLock { $0.count }
    }

    /// The last examined transactions, by store: the start for a later observer.
    public var historyTokens: [String: any HistoryToken] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.numbers.map { ($0.key, DefaultHistoryToken([$0.key: $0.value])) })
        }
    }

    private func follow() {
        do {
            try readNewTransactions()
        } catch {
            ModelLog.warn("The history could not be followed, and is read again after the next save: \(error)")
        }
    }

    /// Examines the transactions since the last time. One thread at a time, so that none counts twice.
    private func readNewTransactions() throws {
        let found = try reading.withLock {
            let transactions = try newTransactions()
            state.withLock { state in
                for transaction in transactions {
                    state.numbers[transaction.storeID] = transaction.transactionNumber
                }
            }
            return transactions.count(where: concerns)
        }
        if found == 0 { return }
        registrar.withMutation(of: self, keyPath: \.eventCounter) { state.withLock { $0.count += found } }
    }

    private func newTransactions() throws -> [NSPersistentHistoryTransaction] {
        let token = NSPersistentHistoryToken(state.withLock { $0.numbers })
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.resultType = names.isEmpty ? .transactionsOnly : .transactionsAndChanges
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        return try context.performAndWait {
            context.persistentStoreCoordinator = modelContainer.persistentStoreCoordinator
            let result = try HistoryErrors.mapped { try context.execute(request) } as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }

    private func concerns(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        if !authors.isEmpty, !authors.contains(transaction.author ?? "") { return false }
        if names.isEmpty { return true }
        return transaction.changes?.contains { names.contains($0.changedObjectID.entity.name ?? "") } ?? false
    }
}

/// Notifications come on the thread of the save; the observer may be used there.
private struct Listener: @unchecked Sendable {
    weak var observer: HistoryObserver?
}
