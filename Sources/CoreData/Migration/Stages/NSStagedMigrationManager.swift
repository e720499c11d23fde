// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stages that migrate a store through the versions of its model.

public import Foundation

/// Store option: an `NSStagedMigrationManager` whose stages migrate the store to the version of the coordinator's
/// model.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"

/// Migrates a store through the versions of a model, stage by stage.
///
/// ```swift
/// let manager = NSStagedMigrationManager([lightweightStage, customStage])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// Adding a store with this option runs the stages after the version of the store, in the order of the list, up to the
/// version of the coordinator's model. A store that already has this version calls no handler.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {  // `current` is guarded by `lock`
    /// The stages, oldest first.
    public final let stages: [NSMigrationStage]

    /// The container with the store, for the handlers of a stage; nil outside handlers.
    open var container: NSPersistentContainer? { lock.withLock { current } }

    private weak var current: NSPersistentContainer?
    private let lock = NSLock()

    /// Makes a manager of stages, oldest first.
    ///
    /// Traps if two stages begin with the same version, because it is ambiguous which of them runs.
    public init(_ stages: [NSMigrationStage]) {
        var seen: Set<String> = []
        for checksum in stages.flatMap(\.sourceChecksums) {
            precondition(
                seen.insert(checksum).inserted,
                "Two stages have the version checksum \(checksum): name each version in one stage.")
        }
        self.stages = stages
        super.init()
    }

    /// Sets `container` for the handlers while a body runs.
    final func with<T>(_ container: NSPersistentContainer, _ body: () throws -> T) rethrows -> T {
        lock.withLock { current = container }
        defer { lock.withLock { current = nil } }
        return try withExtendedLifetime(container) { try body() }
    }
}

extension NSMigrationStage {
    /// The versions that the stage begins with.
    fileprivate var sourceChecksums: [String] {
        switch self {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums
        case let stage as NSCustomMigrationStage: [stage.currentModel.versionChecksum]
        default: []
        }
    }

    /// The versions of the stage, oldest first.
    var versions: [String] {
        switch self {
        case let stage as NSCustomMigrationStage:
            [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
        default: sourceChecksums
        }
    }
}
