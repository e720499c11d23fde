// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which stages migrate a store from its version to another one.

import Foundation

/// A route through the stages.
struct StageRoute {
    enum Step {
        /// A migration without code, through versions to a checksum.
        case lightweight(String)
        case custom(NSCustomMigrationStage)
    }

    let steps: [Step]

    /// - Parameters:
    ///   - start: the checksum of the store, another one than `end`.
    ///   - end: the checksum of the coordinator's model. If no stage has it, it follows the last stage.
    /// - Throws: 134504 for a store of a version that no stage has, 134506 for a version that lies before the store's.
    init(_ stages: [NSMigrationStage], from start: String, to end: String, url: URL) throws {
        var places: [String: Int] = [:]
        var order: [String] = []
        for version in stages.flatMap(\.versions) where places[version] == nil {
            places[version] = order.count
            order.append(version)
        }
        guard let first = places[start] else {
            throw CoreDataError.migration(
                CocoaError.Code(rawValue: NSManagedObjectModelReferenceNotFoundError),
                "The store has the version checksum \(start), which no stage has.", url: url)
        }
        let last = places[end] ?? order.count
        guard last > first else {
            throw CoreDataError.migration(
                CocoaError.Code(rawValue: NSStagedMigrationBackwardMigrationError),
                "The version \(end) of the model lies before the version \(start) of the store in the stages.", url: url
            )
        }
        var found: [Step] = []
        var place = first
        /// Adds the versions without code.
        func pass(to target: Int) {
            while place < target {
                place += 1
                found.append(.lightweight(place < order.count ? order[place] : end))
            }
        }
        for case let stage as NSCustomMigrationStage in stages {
            guard let begin = places[stage.currentModel.versionChecksum],
                let goal = places[stage.nextModel.versionChecksum], begin >= place, goal > begin, goal <= last
            else { continue }
            pass(to: begin)
            found.append(.custom(stage))
            place = goal
        }
        pass(to: last)
        steps = found
    }
}
