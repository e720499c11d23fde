// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch request over transactions or changes, checked and bound to one store.

import CoreDataFoundation
import Foundation

/// The predicate, order and limits of a history request.
struct HistoryFilter {
    enum Subject { case transactions, changes }

    let subject: Subject
    let syntax: PredicateSyntax?
    let sortDescriptors: [NSSortDescriptor]
    let limit: Int
    let offset: Int

    /// - Throws: 134060 for another entity, and for a key path that it does not have.
    init(_ request: NSFetchRequest<any NSFetchRequestResult>?) throws {
        guard let request else {
            (subject, syntax, sortDescriptors, limit, offset) = (.transactions, nil, [], 0, 0)
            return
        }
        let keys: Set<String>
        switch request.entityName {
        case HistoryEntities.transactionName: (subject, keys) = (.transactions, HistoryEntities.transactionKeys)
        case HistoryEntities.changeName: (subject, keys) = (.changes, HistoryEntities.changeKeys)
        default:
            throw CoreDataError.general(
                "A history request asks for '\(request.entityName ?? "")': use the 'fetchRequest' of "
                    + "NSPersistentHistoryTransaction or NSPersistentHistoryChange.")
        }
        syntax = request.predicate?.syntax
        sortDescriptors = request.sortDescriptors ?? []
        limit = max(0, request.fetchLimit)
        offset = max(0, request.fetchOffset)
        for path in (syntax?.keyPaths ?? []) + sortDescriptors.compactMap(\.key) where !keys.contains(path) {
            throw CoreDataError.general(
                "A history request names '\(path)', which \(request.entityName ?? "") does not have: "
                    + "\(keys.sorted().joined(separator: ", ")).")
        }
    }

    /// The number of results after which the search can stop; nil if all rows have to be read.
    var wanted: Int? { limit > 0 && sortDescriptors.isEmpty ? limit + offset : nil }

    /// The part of sorted results that limit and offset leave.
    func window<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    /// The test for rows of one store.
    ///
    /// - Parameters:
    ///   - store: its UUID.
    ///   - bounds: tokens in the predicate must lie within them.
    ///   - id: translates ids of other coordinators; nil for ids of other stores.
    /// - Throws: 134301 for an expired token, and for the initial one.
    func test(
        store: String, bounds: HistoryBounds, id: (NSManagedObjectID) -> NSManagedObjectID?
    ) throws -> HistoryTest? {
        guard let syntax else { return nil }
        for token in Self.tokens(syntax) {
            guard let number = token.number(of: store) else { continue }
            if number == 0 {
                throw CoreDataError.historyTokenExpired(
                    "The token in the predicate is the initial one, which names no transaction: use fetchHistory(after:)."
                )
            }
            try bounds.check(number, of: store)
        }
        func value(_ constant: Any?) -> Any? {
            switch constant {
            // A token of other stores counts as earlier than every transaction of this store, and equals none.
            case let token as NSPersistentHistoryToken: NSNumber(value: token.number(of: store) ?? -1)
            case let known as NSManagedObjectID: id(known) ?? known
            case let entity as NSEntityDescription: entity.name
            case let type as NSPersistentHistoryChangeType: NSNumber(value: type.rawValue)
            case let list as [Any]: list.map { value($0) ?? NSNull() }
            default: constant
            }
        }
        let bound = syntax.replacingExpressions { expression -> ExpressionSyntax? in
            switch expression {
            case .keyPath("token"): .keyPath("transactionNumber")
            case .constant(let constant): .constant(value(constant))
            default: nil
            }
        }
        return HistoryTest(bound)
    }

    private static func tokens(_ syntax: PredicateSyntax) -> [NSPersistentHistoryToken] {
        var tokens: [NSPersistentHistoryToken] = []
        syntax.visitExpressions { expression in
            guard case .constant(let constant) = expression else { return }
            if let token = constant as? NSPersistentHistoryToken { tokens.append(token) }
            tokens += (constant as? [Any] ?? []).compactMap { $0 as? NSPersistentHistoryToken }
        }
        return tokens
    }

    /// Sorts by the descriptors, stably.
    func sorted<Element>(_ elements: [Element], _ row: (Element) -> HistoryRow) -> [Element] {
        if sortDescriptors.isEmpty { return elements }
        let rows = elements.map { HistorySortRow(row($0)) }
        let order = elements.indices.sorted { one, other in
            for descriptor in sortDescriptors {
                switch descriptor.compare(rows[one], to: rows[other]) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return one < other
        }
        return order.map { elements[$0] }
    }
}

/// Decides which rows a request wants.
struct HistoryTest {
    private let predicate: NSPredicate
    /// Transactions up to this number are excluded.
    private(set) var number: Int64 = 0
    /// Transactions before this time, in seconds since the reference date, are excluded; nil for no such bound.
    private(set) var time: Double?

    /// Finds the lower bounds, so that a long history is not read from its beginning.
    init(_ syntax: PredicateSyntax) {
        predicate = syntax.predicate
        for part in syntax.conjuncts {
            guard case .comparison(let comparison) = part, comparison.modifier == .direct,
                case .keyPath(let key) = comparison.left, case .constant(let value) = comparison.right
            else { continue }
            switch (key, comparison.operation, value) {
            case ("transactionNumber", .greaterThan, let value as NSNumber): number = max(number, value.int64Value)
            case ("transactionNumber", .greaterThanOrEqualTo, let value as NSNumber),
                ("transactionNumber", .equalTo, let value as NSNumber):
                number = max(number, max(value.int64Value, 1) - 1)
            case ("timestamp", .greaterThan, let date as Date), ("timestamp", .greaterThanOrEqualTo, let date as Date):
                time = max(time ?? -.infinity, date.timeIntervalSinceReferenceDate)
            default: continue
            }
        }
    }

    func accepts(_ row: HistoryRow) -> Bool { predicate.evaluate(with: HistorySortRow(row)) }
}

/// A transaction or a change as predicates read it.
enum HistoryRow {
    case transaction(HistoryTransactionRecord, store: String)
    case change(HistoryChangeRecord, NSManagedObjectID)

    func value(_ key: String) -> Any? {
        switch self {
        case .transaction(let record, let store):
            switch key {
            case "author": record.author
            case "contextName": record.contextName
            case "bundleID": record.bundleID
            case "processID": record.processID
            case "timestamp": Date(timeIntervalSinceReferenceDate: record.time)
            case "storeID": store
            default: NSNumber(value: record.number)
            }
        case .change(let record, let id):
            switch key {
            case "changeType": NSNumber(value: record.type.rawValue)
            case "changedEntity": record.layout.name
            case "changedObjectID": id
            default: NSNumber(value: record.number)
            }
        }
    }
}

/// A row as an object, because predicates and sort descriptors need one.
private final class HistorySortRow: NSObject, KeyValueReadable {
    private let row: HistoryRow

    init(_ row: HistoryRow) { self.row = row }

    func storedValue(forKey key: String) throws -> Any? { row.value(key) }
}
