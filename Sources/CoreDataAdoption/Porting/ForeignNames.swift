// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names that a file on Linux finds only if it imports CoreData.

/// On Apple's systems other modules export these names: SwiftUI and CloudKit those of Core Data, Foundation those that
/// Foundation on Linux lacks, and a bridging header all of them.
enum ForeignNames {
    /// Foundation has unusable classes with these names, so `import Foundation` makes the names ambiguous.
    /// Importing the individual class resolves the ambiguity.
    static let ambiguous = ["NSExpression", "NSComparisonPredicate"]

    /// Names of Foundation on Apple's systems.
    static let ofFoundation = names(
        """
        NSKeyValueChange NSKeyValueChangeKey NSKeyValueObservation NSKeyValueObservedChange NSKeyValueObservingOptions
        NSKeyValueSetMutationKind NSSecureUnarchiveFromDataTransformer NSUndoCloseGroupingRunLoopOrdering
        NSUndoManagerGroupIsDiscardableKey NSValueTransformerName Selector UndoManager ValueTransformer
        """)

    /// Types of Core Data.
    static let types = names(
        """
        NSAsynchronousFetchRequest NSAsynchronousFetchResult NSAtomicStore NSAtomicStoreCacheNode NSAttributeDescription
        NSAttributeType NSBatchDeleteRequest NSBatchDeleteRequestResultType NSBatchDeleteResult NSBatchInsertRequest
        NSBatchInsertRequestResultType NSBatchInsertResult NSBatchUpdateRequest NSBatchUpdateRequestResultType
        NSBatchUpdateResult NSCompositeAttributeDescription NSConstraintConflict NSCustomMigrationStage NSDeleteRule
        NSDerivedAttributeDescription NSEntityDescription NSEntityMapping NSEntityMappingType NSEntityMigrationPolicy
        NSExpressionDescription NSFetchIndexDescription NSFetchIndexElementDescription NSFetchIndexElementType
        NSFetchRequest NSFetchRequestExpression NSFetchRequestResult NSFetchRequestResultType
        NSFetchedPropertyDescription NSFetchedResultsChangeType NSFetchedResultsController
        NSFetchedResultsControllerDelegate NSFetchedResultsSectionInfo NSIncrementalStore NSIncrementalStoreNode
        NSLightweightMigrationStage NSManagedObject NSManagedObjectContext NSManagedObjectContextConcurrencyType
        NSManagedObjectID NSManagedObjectModel NSManagedObjectModelReference NSMappingModel NSMergeConflict
        NSMergePolicy NSMergePolicyType NSMigrationManager NSMigrationStage NSPersistentCloudKitContainer
        NSPersistentCloudKitContainerOptions NSPersistentCloudKitContainerSchemaInitializationOptions
        NSPersistentContainer NSPersistentHistoryChange NSPersistentHistoryChangeRequest NSPersistentHistoryChangeType
        NSPersistentHistoryResult NSPersistentHistoryResultType NSPersistentHistoryToken NSPersistentHistoryTransaction
        NSPersistentStore NSPersistentStoreAsynchronousResult NSPersistentStoreCoordinator NSPersistentStoreDescription
        NSPersistentStoreRequest NSPersistentStoreRequestType NSPersistentStoreResult NSPropertyDescription
        NSPropertyMapping NSQueryGenerationToken NSRelationshipDescription NSSaveChangesRequest NSSnapshotEventType
        NSStagedMigrationManager
        """)

    /// The beginnings of Core Data's constants, such as `NSInsertedObjectsKey` and `NSSQLiteStoreType`.
    private static let constants = [
        "NSAddedPersistentStores", "NSAffected", "NSBinaryStore", "NSCoreDataError", "NSDeletedObject",
        "NSDetailedErrors",
        "NSEntityMigrationPolicyError", "NSExternalRecordImport", "NSIgnorePersistentStore", "NSInMemoryStoreType",
        "NSInferMappingModel", "NSInferredMappingModel", "NSInsertedObject", "NSInvalidatedAll", "NSInvalidatedObject",
        "NSManagedObject", "NSMigratePersistentStores", "NSMigration", "NSPersistenceFramework", "NSPersistentHistory",
        "NSPersistentStore", "NSReadOnlyPersistentStore", "NSRefreshedObject", "NSRemovedPersistentStores", "NSSQLite",
        "NSStagedMigration", "NSStoreModelVersion", "NSStoreTypeKey", "NSStoreUUIDKey", "NSUUIDChangedPersistentStores",
        "NSUpdatedObject", "NSValidateXMLStore", "NSValidation", "NSXMLStoreType", "NSFetchRequestExpression",
    ]

    static func areOfCoreData(_ name: String) -> Bool {
        types.contains(name) || name.hasPrefix("NS") && constants.contains { name.hasPrefix($0) }
    }

    private static func names(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
