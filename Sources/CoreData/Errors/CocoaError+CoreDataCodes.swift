// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The published error codes, as constants and as `CocoaError.Code`, and the keys of the user info.

public import Foundation

// MARK: Keys of the user info

/// The individual failures of an `NSValidationMultipleErrorsError`: an array of `NSError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The invalid object.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the invalid property, a `String`.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The violated predicate, an `NSPredicate`.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The invalid value.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The affected stores: an array of `NSPersistentStore`.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The affected objects: an array of `NSManagedObject`.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save: an array of `NSMergeConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The error domain of SQLite's own result codes, and the key for one in a user info.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

// MARK: Codes

/// A validation predicate of a property is violated.
public var NSManagedObjectValidationError: Int { 1550 }
/// A uniqueness constraint is violated within one context.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Several failures, listed under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// A required property has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// A to-many relationship has too few objects.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// A to-many relationship has too many objects.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// A relationship with the delete rule Deny is not empty.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// A number is above its maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// A number is below its minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// A date is after its latest value.
public var NSValidationDateTooLateError: Int { 1630 }
/// A date is before its earliest value.
public var NSValidationDateTooSoonError: Int { 1640 }
/// A value is not a date.
public var NSValidationInvalidDateError: Int { 1650 }
/// A string is longer than allowed.
public var NSValidationStringTooLongError: Int { 1660 }
/// A string is shorter than allowed.
public var NSValidationStringTooShortError: Int { 1670 }
/// A string does not match its regular expression.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// A value is not a URI.
public var NSValidationInvalidURIError: Int { 1690 }
/// A context could not be locked.
public var NSManagedObjectContextLockingError: Int { 132_000 }
/// A coordinator could not be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132_010 }
/// An object id refers to no record.
public var NSManagedObjectReferentialIntegrityError: Int { 133_000 }
/// A relationship refers to an object in another store.
public var NSManagedObjectExternalRelationshipError: Int { 133_010 }
/// A merge policy could not resolve the conflicts of a save.
public var NSManagedObjectMergeError: Int { 133_020 }
/// A merge policy could not resolve the constraint conflicts of a save.
public var NSManagedObjectConstraintMergeError: Int { 133_021 }
/// No store class is registered for a store type, or a file does not have that type.
public var NSPersistentStoreInvalidTypeError: Int { 134_000 }
/// A store has a type other than the requested one.
public var NSPersistentStoreTypeMismatchError: Int { 134_010 }
/// The database lacks tables or columns that the model needs.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134_020 }
/// A store could not be saved.
public var NSPersistentStoreSaveError: Int { 134_030 }
/// One of several stores could not be saved after others were.
public var NSPersistentStoreIncompleteSaveError: Int { 134_040 }
/// Conflicts of a save, listed under `NSPersistentStoreSaveConflictsErrorKey`.
public var NSPersistentStoreSaveConflictsError: Int { 134_050 }
/// A failure without a specific code.
public var NSCoreDataError: Int { 134_060 }
/// A store rejected an operation.
public var NSPersistentStoreOperationError: Int { 134_070 }
/// A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134_080 }
/// A store did not answer in time.
public var NSPersistentStoreTimeoutError: Int { 134_090 }
/// A store does not support this kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134_091 }
/// The model differs from the model of the store.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134_100 }
/// A migration failed.
public var NSMigrationError: Int { 134_110 }
/// Migrated records violate a uniqueness constraint of the new model.
public var NSMigrationConstraintViolationError: Int { 134_111 }
/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134_120 }
/// No model matches the store to be migrated.
public var NSMigrationMissingSourceModelError: Int { 134_130 }
/// There is no mapping from the old model to the new one.
public var NSMigrationMissingMappingModelError: Int { 134_140 }
/// The source store of a migration cannot be used.
public var NSMigrationManagerSourceStoreError: Int { 134_150 }
/// The destination store of a migration cannot be used.
public var NSMigrationManagerDestinationStoreError: Int { 134_160 }
/// An entity migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134_170 }
/// SQLite reported an error; its code is under `NSSQLiteErrorDomain`.
public var NSSQLiteError: Int { 134_180 }
/// External records could not be imported. Never thrown: external records are not supported.
public var NSExternalRecordImportError: Int { 134_200 }
/// No mapping could be inferred between two models.
public var NSInferredMappingModelError: Int { 134_190 }
/// The history before this token has been deleted.
public var NSPersistentHistoryTokenExpiredError: Int { 134_301 }
/// A model reference has no matching model.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134_504 }
/// The store's framework version does not support staged migration.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134_505 }
/// The store is newer than the last stage.
public var NSStagedMigrationBackwardMigrationError: Int { 134_506 }

extension CocoaError.Code {
    /// A validation predicate of a property is violated.
    public static var managedObjectValidation: Self { Self(rawValue: NSManagedObjectValidationError) }
    /// Several failures, listed under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: Self { Self(rawValue: NSValidationMultipleErrorsError) }
    /// A required property has no value.
    public static var validationMissingMandatoryProperty: Self {
        Self(rawValue: NSValidationMissingMandatoryPropertyError)
    }
    /// A to-many relationship has too few objects.
    public static var validationRelationshipLacksMinimumCount: Self {
        Self(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }
    /// A to-many relationship has too many objects.
    public static var validationRelationshipExceedsMaximumCount: Self {
        Self(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }
    /// A relationship with the delete rule Deny is not empty.
    public static var validationRelationshipDeniedDelete: Self {
        Self(rawValue: NSValidationRelationshipDeniedDeleteError)
    }
    /// A number is above its maximum.
    public static var validationNumberTooLarge: Self { Self(rawValue: NSValidationNumberTooLargeError) }
    /// A number is below its minimum.
    public static var validationNumberTooSmall: Self { Self(rawValue: NSValidationNumberTooSmallError) }
    /// A date is after its latest value.
    public static var validationDateTooLate: Self { Self(rawValue: NSValidationDateTooLateError) }
    /// A date is before its earliest value.
    public static var validationDateTooSoon: Self { Self(rawValue: NSValidationDateTooSoonError) }
    /// A value is not a date.
    public static var validationInvalidDate: Self { Self(rawValue: NSValidationInvalidDateError) }
    /// A string is longer than allowed.
    public static var validationStringTooLong: Self { Self(rawValue: NSValidationStringTooLongError) }
    /// A string is shorter than allowed.
    public static var validationStringTooShort: Self { Self(rawValue: NSValidationStringTooShortError) }
    /// A string does not match its regular expression.
    public static var validationStringPatternMatching: Self { Self(rawValue: NSValidationStringPatternMatchingError) }
    /// A context could not be locked.
    public static var managedObjectContextLocking: Self { Self(rawValue: NSManagedObjectContextLockingError) }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: Self {
        Self(rawValue: NSPersistentStoreCoordinatorLockingError)
    }
    /// An object id refers to no record.
    public static var managedObjectReferentialIntegrity: Self {
        Self(rawValue: NSManagedObjectReferentialIntegrityError)
    }
    /// A relationship refers to an object in another store.
    public static var managedObjectExternalRelationship: Self {
        Self(rawValue: NSManagedObjectExternalRelationshipError)
    }
    /// A merge policy could not resolve the conflicts of a save.
    public static var managedObjectMerge: Self { Self(rawValue: NSManagedObjectMergeError) }
    /// A merge policy could not resolve the constraint conflicts of a save.
    public static var managedObjectConstraintMerge: Self { Self(rawValue: NSManagedObjectConstraintMergeError) }
    /// No store class is registered for a store type, or a file does not have that type.
    public static var persistentStoreInvalidType: Self { Self(rawValue: NSPersistentStoreInvalidTypeError) }
    /// A store has a type other than the requested one.
    public static var persistentStoreTypeMismatch: Self { Self(rawValue: NSPersistentStoreTypeMismatchError) }
    /// The database lacks tables or columns that the model needs.
    public static var persistentStoreIncompatibleSchema: Self {
        Self(rawValue: NSPersistentStoreIncompatibleSchemaError)
    }
    /// A store could not be saved.
    public static var persistentStoreSave: Self { Self(rawValue: NSPersistentStoreSaveError) }
    /// One of several stores could not be saved after others were.
    public static var persistentStoreIncompleteSave: Self { Self(rawValue: NSPersistentStoreIncompleteSaveError) }
    /// Conflicts of a save, listed under `NSPersistentStoreSaveConflictsErrorKey`.
    public static var persistentStoreSaveConflicts: Self { Self(rawValue: NSPersistentStoreSaveConflictsError) }
    /// A failure without a specific code.
    public static var coreData: Self { Self(rawValue: NSCoreDataError) }
    /// A store rejected an operation.
    public static var persistentStoreOperation: Self { Self(rawValue: NSPersistentStoreOperationError) }
    /// A store could not be opened.
    public static var persistentStoreOpen: Self { Self(rawValue: NSPersistentStoreOpenError) }
    /// A store did not answer in time.
    public static var persistentStoreTimeout: Self { Self(rawValue: NSPersistentStoreTimeoutError) }
    /// A store does not support this kind of request.
    public static var persistentStoreUnsupportedRequestType: Self {
        Self(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }
    /// The model differs from the model of the store.
    public static var persistentStoreIncompatibleVersionHash: Self {
        Self(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }
    /// A migration failed.
    public static var migration: Self { Self(rawValue: NSMigrationError) }
    /// A migration was cancelled.
    public static var migrationCancelled: Self { Self(rawValue: NSMigrationCancelledError) }
    /// No model matches the store to be migrated.
    public static var migrationMissingSourceModel: Self { Self(rawValue: NSMigrationMissingSourceModelError) }
    /// There is no mapping from the old model to the new one.
    public static var migrationMissingMappingModel: Self { Self(rawValue: NSMigrationMissingMappingModelError) }
    /// The source store of a migration cannot be used.
    public static var migrationManagerSourceStore: Self { Self(rawValue: NSMigrationManagerSourceStoreError) }
    /// The destination store of a migration cannot be used.
    public static var migrationManagerDestinationStore: Self { Self(rawValue: NSMigrationManagerDestinationStoreError) }
    /// An entity migration policy failed.
    public static var entityMigrationPolicy: Self { Self(rawValue: NSEntityMigrationPolicyError) }
    /// SQLite reported an error; its code is under `NSSQLiteErrorDomain`.
    public static var sqlite: Self { Self(rawValue: NSSQLiteError) }
    /// External records could not be imported. Never thrown: external records are not supported.
    public static var externalRecordImport: Self { Self(rawValue: NSExternalRecordImportError) }
    /// No mapping could be inferred between two models.
    public static var inferredMappingModel: Self { Self(rawValue: NSInferredMappingModelError) }
}

/// The same codes, so that `catch CocoaError.validationMissingMandatoryProperty` reads as on Apple's systems.
extension CocoaError {
    /// Code 1550: a value violates a validation predicate of its property, is no number, has a class that the property
    /// cannot hold, or refers to a deleted object. Correct the property `validationKey` of `validationObject`, then
    /// save again.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Code 1560: a save or a validation found several invalid values. Read each failure from
    /// `userInfo[NSDetailedErrorsKey]`; nothing was saved.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// Code 1570: a property that is not optional has no value. Set the property `validationKey` of `validationObject`,
    /// give it a default value in the model, or make it optional.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// Code 1580: a to-many relationship has fewer objects than its `minCount`. Add objects, or lower the minimum in
    /// the model.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// Code 1590: a to-many relationship has more objects than its `maxCount`. Remove objects, or raise the maximum in
    /// the model.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// Code 1600: a deleted object still has destinations in a relationship with the delete rule Deny. Delete or move
    /// the destinations first.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// Code 1610: a number is above the maximum in the model. `validationPredicate` is the violated rule.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// Code 1620: a number is below the minimum in the model. `validationPredicate` is the violated rule.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// Code 1630: a date is after the latest date in the model. `validationPredicate` is the violated rule.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// Code 1640: a date is before the earliest date in the model. `validationPredicate` is the violated rule.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// Code 1650: a date is infinite or not a number, which no store can hold. Set a finite date, or nil.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// Code 1660: a string has more characters than the model allows. `validationPredicate` is the violated rule.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// Code 1670: a string has fewer characters than the model allows. `validationPredicate` is the violated rule.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// Code 1680: a string does not match the regular expression in the model. `validationPredicate` is the violated
    /// rule.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// Code 132000: declared for source compatibility and never thrown, because contexts have queues instead of locks.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// Code 132010: declared for source compatibility and never thrown, because a coordinator waits for its lock
    /// without limit.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// Code 133000: no store has a record for an object id, because it was deleted or was never saved.
    /// `affectedObjects` holds the id; discard the object that has it.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// Code 133010: a save found a relationship between objects of different stores. Assign both objects to one store,
    /// or refer to the other object by its URI.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// Code 133020: another writer changed or deleted records that this save changes, and the merge policy is the error
    /// policy. Read `persistentStoreSaveConflicts`; then refresh the objects and repeat the changes, roll back, or set
    /// another `mergePolicy`.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Code 133021: a save would give two objects the same unique values, and the merge policy does not resolve it.
    /// `userInfo[NSPersistentStoreSaveConflictsErrorKey]` holds the `NSConstraintConflict`s; change or delete one
    /// object of each.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// Code 134000: no store class is registered for the requested type. The message lists the registered types;
    /// register the class with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)` before adding the
    /// store.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// Code 134010: declared for source compatibility and never thrown. A file of another type throws
    /// `fileReadCorruptFile` (259).
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// Code 134020: the store's file does not fit the model, although no version hash differs: the file has no hashes,
    /// or another program changed it. Open it with the model that it was written with.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// Code 134030: a save failed, because a store could not be written, an object has no store, an earlier read
    /// failed, or `willSave` never settled. The changes stay pending: read the reason and the underlying error, remove
    /// the cause and save again, or roll back.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// Code 134040: one of several stores failed at its commit after others had committed. `affectedStores` and
    /// `affectedObjects` are those not saved; they stay pending, so save again.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// Code 134050: declared for source compatibility and never thrown. Conflicts of a save are `managedObjectMerge`
    /// and `managedObjectConstraintMerge`.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// Code 134060: a failure without a specific code, such as an invalid model or a request with an unknown name.
    /// The message names the mistake, which is usually one of the program.
    public static var coreData: CocoaError.Code { .coreData }
    /// Code 134070: a store cannot carry out an operation in its present state, for example after its removal, or a
    /// custom store gave an invalid answer. The message states the reason.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// Code 134080: a store cannot be opened, for a reason without a specific code. The message and the underlying
    /// error state the reason; the coordinator remains without the store.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// Code 134090: another process or coordinator held the lock of a store's file for longer than the timeout, or a
    /// limit of the store was reached, which the message names. Nothing changed, so the operation can be repeated
    /// later.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// Code 134091: the store or the context has no implementation for this kind of request. Use a request that
    /// `Documentation/Internals/Stores.md` lists for its type.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// Code 134100: the store was written with another version of the model, and the message names the differing
    /// entities. Open it with its own version.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// Code 134110: a store could not be migrated; it is as before. The underlying error names entity, attribute and
    /// reason: a missing mandatory value, a number that does not fit, or (134111) duplicates under a new constraint.
    /// `MigrationPlan` finds them beforehand.
    public static var migration: CocoaError.Code { .migration }
    /// Code 134120: a migration was cancelled by its `Progress`. The store is as before.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// Code 134130: the store needs a migration, and no model that fits its version hashes was found.
    /// `MigrationOption.versions` provides one.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// Code 134140: no mapping model maps the version of a store to the model. The underlying error, 134190,
    /// names the change that cannot be inferred.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// Code 134150: `NSMigrationManager` cannot read the source store with the source model. The underlying error has
    /// the reason; no destination was made.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// Code 134160: `NSMigrationManager` cannot make the destination. The underlying error has the reason; the source
    /// is as before.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// Code 134170: a mapping model names a policy class or a function that does not exist. The message names it; the
    /// source is as before.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// Code 134180: SQLite failed in a way that no other code describes. `userInfo[NSSQLiteErrorDomain]` is its
    /// extended result code, an `NSNumber`; nothing of the failed operation was written.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// Code 134190: a change between two versions has no inferable mapping. The user info names entity, property and
    /// reason.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
}

// MARK: The contents of a caught error

extension CocoaError {
    /// The invalid object.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
    /// The name of the invalid property.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
    /// The violated predicate.
    public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }
    /// The invalid value.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
    /// The affected stores, as `NSPersistentStore`s.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
    /// The affected objects, as `NSManagedObject`s or their ids.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
    /// The version conflicts of a failed save; nil for other errors. `userInfo["conflictList"]` contains those of
    /// uniqueness constraints, which are not `NSMergeConflict`s.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
