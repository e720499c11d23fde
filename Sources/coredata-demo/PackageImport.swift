// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts records to objects and saves them.

import CoreData
import Foundation

/// Imports packages in two passes: first the objects, then their dependencies.
struct PackageImport {
    let library: PackageLibrary
    let records: [PackageRecord]

    private static let batchSize = 500

    func run() async throws {
        let started = ContinuousClock.now
        let records = records
        let counts = try await library.container.performBackgroundTask { context in
            var registry = Registry(context: context)
            for (position, record) in records.enumerated() {
                registry.insert(record)
                // Regular saves limit the amount of unsaved changes.
                if position % Self.batchSize == Self.batchSize - 1 { try context.save() }
                Report.progress("importing", position + 1, of: records.count)
            }
            let links = registry.link(records)
            try context.save()
            return (registry.sectionCount, registry.maintainerCount, links)
        }
        let duration = ContinuousClock.now - started
        Report.line(
            "\(records.count) packages, \(counts.0) sections, \(counts.1) maintainers, \(counts.2) dependencies")
        let objects = records.count + counts.0 + counts.1
        Report.line("\(objects) objects in \(Report.text(duration)), \(Report.rate(objects, duration)) a second")
    }
}

/// The objects inserted so far, by name. Confined to the queue of its context.
private struct Registry {
    let context: NSManagedObjectContext
    private var packages: [String: Package] = [:]
    private var sections: [String: Section] = [:]
    private var maintainers: [String: Maintainer] = [:]

    var sectionCount: Int { sections.count }
    var maintainerCount: Int { maintainers.count }

    init(context: NSManagedObjectContext) { self.context = context }

    mutating func insert(_ record: PackageRecord) {
        let package = Package(context: context)
        package.name = record.name
        package.version = record.version
        package.architecture = record.architecture
        package.summary = record.summary
        package.homepage = record.homepage
        package.installedSize = record.installedSize
        package.isEssential = record.isEssential
        package.section = record.section.map { section(named: $0) }
        package.maintainer = record.maintainer.map { maintainer(named: $0, record.maintainerAddress) }
        packages[record.name] = package
    }

    /// - Returns: the number of dependencies with an installed package.
    func link(_ records: [PackageRecord]) -> Int {
        records.reduce(0) { sum, record in
            guard let package = packages[record.name] else { return sum }
            let needed = Set(record.dependencies.compactMap { packages[$0] })
            if !needed.isEmpty { package.dependencies = needed }
            return sum + needed.count
        }
    }

    private mutating func section(named name: String) -> Section {
        if let known = sections[name] { return known }
        let section = Section(context: context)
        section.name = name
        sections[name] = section
        return section
    }

    private mutating func maintainer(named name: String, _ address: String?) -> Maintainer {
        if let known = maintainers[name] { return known }
        let maintainer = Maintainer(context: context)
        maintainer.name = name
        maintainer.address = address
        maintainers[name] = maintainer
        return maintainer
    }
}
