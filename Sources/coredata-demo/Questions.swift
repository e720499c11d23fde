// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Demonstrates fetches: predicates, sorting, counting, dictionaries, and relationships.

import CoreData
import Foundation

/// Queries the graph.
struct Questions {
    let library: PackageLibrary

    func run() async throws {
        try await library.container.performBackgroundTask { context in
            try Self.largest(context)
            try Self.matching(context)
            try Self.mostNeeded(context)
            try Self.sections(context)
            try Self.closure(context)
        }
    }

    /// Sorting and a limit.
    private static func largest(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.sortDescriptors = [NSSortDescriptor(key: "installedSize", ascending: false)]
        request.fetchLimit = 5
        let packages = try Report.timed { try context.fetch(request) }
        Report.answer(
            "the largest packages", packages.value.map { "\($0.name) (\($0.installedSize / 1024) MB)" }, packages.time)
    }

    /// A predicate that compares text and follows a relationship.
    private static func matching(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.predicate = NSPredicate(
            format: "section.name == %@ AND name BEGINSWITH %@ AND summary CONTAINS[c] %@", "libs", "lib", "library")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try Report.timed { try context.fetch(request) }
        Report.answer(
            "in section 'libs', named 'lib…', with 'library' in the summary: \(found.value.count)",
            found.value.prefix(5).map(\.name), found.time)
    }

    /// A count over a to-many relationship in the predicate; then the relationship itself.
    private static func mostNeeded(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.predicate = NSPredicate(format: "dependents.@count > 0")
        request.relationshipKeyPathsForPrefetching = ["dependents"]
        let found = try Report.timed {
            try context.fetch(request).map { (name: $0.name, count: $0.dependents.count) }
                .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        }
        Report.answer("what most packages need", found.value.prefix(5).map { "\($0.name) (\($0.count))" }, found.time)
    }

    /// From one object to many and back.
    private static func sections(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Section>(entityName: "Section")
        request.relationshipKeyPathsForPrefetching = ["packages"]
        let found = try Report.timed {
            try context.fetch(request).map { (name: $0.name, count: $0.packages.count) }
                .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        }
        Report.answer("the largest sections", found.value.prefix(5).map { "\($0.name) (\($0.count))" }, found.time)
    }

    /// All direct and indirect dependencies of a package: each step fires the faults of the next one.
    private static func closure(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.predicate = NSPredicate(
            format: "dependencies.@count > 2 AND name IN %@", ["python3", "git", "bash", "apt"])
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        request.fetchLimit = 1
        let found = try Report.timed { () -> (Package, Set<Package>)? in
            guard let start = try context.fetch(request).first else { return nil }
            var reached: Set<Package> = []
            var next = Array(start.dependencies)
            while let package = next.popLast() {
                if reached.insert(package).inserted { next.append(contentsOf: package.dependencies) }
            }
            return (start, reached)
        }
        guard let (start, reached) = found.value else { return }
        Report.answer(
            "\(start.name) needs \(start.dependencies.count) packages, and with theirs \(reached.count)",
            reached.map(\.name).sorted().prefix(5).map { $0 }, found.time)
    }
}
