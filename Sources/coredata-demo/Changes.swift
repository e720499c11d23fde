// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Demonstrates changes: values, relationships, delete rules, rollback, and failed validation.

import CoreData
import Foundation

/// Changes the graph, and verifies afterwards that the file contains the changes.
struct Changes {
    let library: PackageLibrary

    private static let note = "looked at by the demo"

    func run() async throws {
        try await library.container.performBackgroundTask { context in
            try Self.annotate(context)
            try Self.addPackage(context)
            try Self.rejectNamelessPackage(context)
            try Self.deleteMaintainer(context)
        }
    }

    /// - Throws: an error if the store differs from the saved state.
    func verify() async throws {
        try await library.container.performBackgroundTask { context in
            let noted = NSFetchRequest<Package>(entityName: "Package")
            noted.predicate = NSPredicate(format: "note == %@", Self.note)
            let count = try context.count(for: noted)
            let added = NSFetchRequest<Package>(entityName: "Package")
            added.predicate = NSPredicate(format: "ANY dependencies.isEssential == YES AND name == %@", "coredata-demo")
            let demo = try context.fetch(added).first
            guard count > 0, let demo else { throw CocoaError(.coderValueNotFound) }
            Report.line(
                "\(count) packages have the note; \(demo.name) \(demo.version ?? "") depends on "
                    + demo.dependencies.map(\.name).sorted().joined(separator: ", "))
            let all = try context.count(for: NSFetchRequest<Package>(entityName: "Package"))
            Report.line("\(all) packages in all")
        }
    }

    private static func annotate(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.predicate = NSPredicate(format: "isEssential == YES")
        let packages = try context.fetch(request)
        for package in packages { package.note = note }
        let saved = try Report.timed { try context.save() }
        Report.line("noted \(packages.count) essential packages, saved in \(Report.text(saved.time))")
    }

    private static func addPackage(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Package>(entityName: "Package")
        request.predicate = NSPredicate(format: "isEssential == YES")
        let demo = Package(context: context)
        demo.name = "coredata-demo"
        demo.version = "1.0"
        demo.dependencies = Set(try context.fetch(request).sorted { $0.name < $1.name }.prefix(3))
        let other = demo.dependencies.min { $0.name < $1.name }
        // The inverse is set before the save.
        Report.line(
            "added \(demo.name): \(other?.name ?? "") now has it among its "
                + "\(other?.dependents.count ?? 0) dependents: \(other?.dependents.contains(demo) ?? false)")
        let maintainer = Maintainer(context: context)
        maintainer.name = "Nobody in particular"
        demo.maintainer = maintainer
        let doomed = Package(context: context)
        doomed.name = "to-be-removed"
        doomed.maintainer = maintainer
        try context.save()
    }

    /// `name` is not optional: a package without one cannot be saved, and rollback removes it.
    private static func rejectNamelessPackage(_ context: NSManagedObjectContext) throws {
        let package = Package(context: context)
        package.version = "0"
        do {
            try context.save()
        } catch {
            Report.line("a package without a name is refused: \((error as NSError).localizedDescription)")
        }
        context.rollback()
        Report.line("after rollback there are \(context.hasChanges ? "" : "no ")changes left")
    }

    /// Deleting a maintainer deletes its packages, according to the relationship's delete rule.
    private static func deleteMaintainer(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Maintainer>(entityName: "Maintainer")
        request.predicate = NSPredicate(format: "name == %@", "Nobody in particular")
        guard let maintainer = try context.fetch(request).first else { return }
        // All but one move to another maintainer first.
        let kept = maintainer.packages.first { $0.name == "coredata-demo" }
        kept?.maintainer = nil
        context.delete(maintainer)
        let saved = try Report.timed { try context.save() }
        let rest = NSFetchRequest<Package>(entityName: "Package")
        rest.predicate = NSPredicate(format: "name == %@", "to-be-removed")
        Report.line(
            "deleted a maintainer, with it its packages (\(try context.count(for: rest)) left of them), "
                + "saved in \(Report.text(saved.time))")
    }
}
