// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Re-exports the modules that come with `import CoreData`, and describes the folders of this module.

// # Folders, lowest first
// Each folder has one subject. It may use the internals of the folders listed before it, except that `Objects` must not
// use `Stores` and `Coordinator`, and that `Context` knows only the base class of stores. `Scripts/check-layers` checks
// this.
// `Documentation/Internals/SourceMap.md` has the details.
//
//     folder       subject                                      begin with
//     Errors       errors and their codes                       CoreDataError
//     Diagnosis    settings and log messages                    SQLDebug, DiagnosisLog
//     Model        the description of the data                  NSManagedObjectModel, NSEntityDescription
//     Values       the contents and identity of one row         EntityLayout, Snapshot, NSManagedObjectID
//     Requests     requests to stores and their results         PreparedFetch, ChangeSet, RecordStore
//     History      the transactions that a store recorded       NSPersistentHistoryTransaction, RecordedChanges
//     Stores       kinds of stores                              SQLite/SQLiteStore, Atomic/InMemoryStore
//     Coordinator  the stores of a model                        NSPersistentStoreCoordinator, RequestRouter
//     Objects      one object and its values                    NSManagedObject, ObjectOwner
//     Context      fetching, faulting, changes, saving          Fetching/FetchExecution, Faulting/FaultFulfilment,
//                                                               Saving/SaveExecution
//     Results      results that follow a context                NSFetchedResultsController, ResultsState
//     Migration    objects of one version become another's      NSMigrationManager, MigrationPass
//
// # Files to begin with
// 1. `Context/Fetching/FetchExecution`: a fetch goes down once as a `BoundFetch`, and returns once as rows.
// 2. `Context/Saving/SaveExecution`: a save goes down once as a `ChangeSet`, and returns once as an outcome.
// 3. `Values/Rows/Snapshot`: the block of values that stores, cache, contexts and undo share, and the rule that makes
//    sharing safe.

@_exported public import CoreDataFoundation
@_exported public import Foundation

// Foundation has unusable classes with these names, and this module re-exports both modules. Without these declarations
// `CoreData.NSExpression` would be ambiguous although it names the module.

/// An expression, for example a constant, a key path or a function.
public typealias NSExpression = CoreDataFoundation.NSExpression
/// A predicate that compares the values of two expressions.
public typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate
