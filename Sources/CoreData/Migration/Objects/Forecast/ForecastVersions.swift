// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The versions on the way from a store to the end of a migration that is foretold.

/// The versions between that of a store and the last one of a forecast migration.
struct ForecastVersions {
    /// The versions of earlier migrations, including the one with which this one begins; empty for the first migration.
    var before: [NSManagedObjectModel] = []
    /// The versions within the migration.
    var between: [NSManagedObjectModel] = []
}
