// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits of stores that are loaded whole: memory for each object, blocks for each object, one write for each save.

import CAllocationCounter
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: the limits of stores in one file
@Suite("Cost of stores in one file") struct AtomicStoreLimitTests {
    private static let kinds = [StoreKind.xml, .binary]

    private func company(_ kind: StoreKind, _ count: Int) throws -> Company {
        let company = try Company(in: kind)
        let departments = (0..<max(count / 100, 1)).map { company.department("Department \($0)") }
        for number in 0..<count {
            company.employee("Employee number \(number)", in: departments[number % departments.count])
        }
        try company.context.save()
        return company
    }

    private struct Cost {
        var blocks: Int64
        var bytes: Int64
    }

    /// The allocations of opening the file of a store, and the memory held afterwards.
    private func cost(_ kind: StoreKind, _ count: Int) throws -> Cost {
        let company = try company(kind, count)
        let stack = company.stack
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
        let (blocks, bytes) = (ocd_allocations(), ocd_allocated_bytes())
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: stack.url)
        let cost = Cost(blocks: ocd_allocations() - blocks, bytes: ocd_allocated_bytes() - bytes)
        withExtendedLifetime(coordinator) {}
        return cost
    }

    @Test(
        "an object of a store that is loaded takes less than 1 KB, and work that does not grow with their number",
        .enabled(if: ocd_counts_allocations()), arguments: kinds)
    func loading(kind: StoreKind) throws {
        let few = try cost(kind, 1_000)
        let many = try cost(kind, 9_000)
        #expect(Double(many.bytes - few.bytes) / 8_000 < 1_000)
        let (small, large) = (Double(few.blocks) / 1_000, Double(many.blocks) / 9_000)
        #expect(large < small * 1.3, "\(small) blocks for each of 1,000, \(large) for each of 9,000")
    }

    @Test("loading ten times the objects takes ten times the time", arguments: kinds)
    func loadingTime(kind: StoreKind) throws {
        func work(_ count: Int) throws -> () throws -> Bool {
            let company = try company(kind, count)
            let stack = company.stack
            for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
            return {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
                try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: stack.url)
                return coordinator.persistentStores.count == 1
            }
        }
        // A hundred times as much, if each object examined all the others.
        #expect(try Growth.of(1_000, 10_000, limit: 25, work) < 25)
    }

    @Test("a save writes the file once, with any number of changes", arguments: kinds)
    func oneWriting(kind: StoreKind) throws {
        let company = try company(kind, 200)
        let before =
            try FileManager.default.attributesOfItem(atPath: company.stack.url.path)[.systemFileNumber] as? NSNumber
        var seen: Set<String> = []
        let folder = company.stack.folder.path
        for object in try company.context.fetch(NSFetchRequest<Employee>(entityName: "Employee")) {
            object.name = "New"
        }
        try company.context.save()
        seen.formUnion(try FileManager.default.contentsOfDirectory(atPath: folder))
        let after =
            try FileManager.default.attributesOfItem(atPath: company.stack.url.path)[.systemFileNumber] as? NSNumber
        #expect(before != after)
        #expect(seen == ["Store.sqlite"])
        // Without changes the file stays as it is.
        try company.context.save()
        let last =
            try FileManager.default.attributesOfItem(atPath: company.stack.url.path)[.systemFileNumber] as? NSNumber
        #expect(last == after)
    }
}
