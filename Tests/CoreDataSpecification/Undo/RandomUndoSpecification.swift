// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that undo and redo restore exactly the earlier and later states, with any work in between.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Replay a failure with its seed: `COREDATA_UNDO_SEED=17`; try others with `COREDATA_UNDO_SEED=1000-1200`.
@Suite("Undo at random") struct RandomUndoSpecification {
    private static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["COREDATA_UNDO_SEED"] ?? "1-12"
        let numbers = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = numbers.first, let last = numbers.last, first <= last else { return 1...12 }
        return first...last
    }()

    /// Every seed with a store of the library, one in four with stores that write a file for each record.
    private static let runs = StoreKind.all.flatMap { store in
        seeds.filter { StoreKind.builtIn.contains(store) || $0 % 4 == 1 }.map { (store, $0) }
    }

    /// Proves: M17, M22, C14
    @Test("among related entities of every kind", arguments: runs)
    func orchestra(store: StoreKind, seed: UInt64) throws { try work(store, OrchestraModel.make(), seed) }

    /// Proves: M17, M22
    @Test("in a graph that is related to itself", arguments: runs)
    func graph(store: StoreKind, seed: UInt64) throws { try work(store, GraphModel.make(), seed) }

    /// Proves: M17, M22
    @Test("in a bookshop", arguments: runs)
    func bookshop(store: StoreKind, seed: UInt64) throws { try work(store, BookshopModel.make(), seed) }

    private func work(_ store: StoreKind, _ model: NSManagedObjectModel, _ seed: UInt64) throws {
        let isQuick = StoreKind.builtIn.contains(store)
        let work = try UndoWork(store, model, seed: seed)
        #expect(throws: Never.self) {
            for _ in 0..<(isQuick ? 6 : 3) {
                for _ in 0..<4 { try work.step() }
                try work.walk()
            }
        }
    }
}
