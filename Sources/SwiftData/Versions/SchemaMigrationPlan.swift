// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How stores of older versions are migrated.

import Foundation

/// The versions of a schema, and the stages between them.
///
///     enum LibraryPlan: SchemaMigrationPlan {
///         static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
///         static var stages: [MigrationStage] {
///             [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)]
///         }
///     }
///     let container = try ModelContainer(for: LibraryV2.Book.self, migrationPlan: LibraryPlan.self)
public protocol SchemaMigrationPlan {
    /// All versions, the oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The steps between them, in order.
    static var stages: [MigrationStage] { get }
}

/// A step from one version to another.
public enum MigrationStage {
    /// Properties and models are added, removed and renamed, as the classes say.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// The same, with code before it on the old models and after it on the new ones. Both contexts may save.
    case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)

    var from: any VersionedSchema.Type {
        switch self {
        case .lightweight(let from, _), .custom(let from, _, _, _): from
        }
    }

    var to: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let to), .custom(_, let to, _, _): to
        }
    }
}
