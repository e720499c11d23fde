// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says which modules come along with `import CoreData`, and gives the tour of the rooms.

// # The rooms, lowest first
// Each folder answers one question. It may use the internals of the rooms that stand before it here, except that `Objects` knows
// neither `Stores` nor `Coordinator`, and `Context` not `Stores`: `Scripts/check-layers` fails where that is broken.
// `Documentation/SourceMap.md` tells more.
//
//     room         question                                     begin with
//     Errors       what can go wrong, with which code           CoreDataError
//     Diagnosis    what is told of it, and where                SQLDebug, DiagnosisLog
//     Model        what is the data                             NSManagedObjectModel, NSEntityDescription
//     Values       what does one row hold, and who is it        EntityLayout, Snapshot, NSManagedObjectID
//     Requests     what is being asked                          ResolvedFetch, ChangeSet, RecordStore
//     Stores       where is it kept                             SQLite/SQLiteStore, Atomic/InMemoryStore
//     Coordinator  which store                                  NSPersistentStoreCoordinator, RequestRouter
//     Objects      what does one object know, how does it wake  NSManagedObject, ObjectOwner
//     Context      what changed, and when does it become true   Fetching/FetchExecution, Saving/SaveExecution
//
// # Three files to read first
// 1. `Context/Fetching/FetchExecution`: a fetch goes down once as a `ResolvedFetch`, and comes up once as rows.
// 2. `Context/Saving/SaveExecution`: a save goes down once as a `ChangeSet`, and comes up once as an outcome.
// 3. `Values/Snapshot`: the block of values that stores, cache, contexts and undo share, and the rule that makes this safe.

@_exported public import CoreDataFoundation
@_exported public import Foundation

// Foundation has classes of these names that cannot be used, and both modules come along with this one: without a declaration
// of its own `CoreData.NSExpression` would be ambiguous, in the very place where programs say which one they mean.

/// An expression: a constant, a key path, a function and the like.
public typealias NSExpression = CoreDataFoundation.NSExpression
/// A predicate that compares what two expressions give.
public typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate
