// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out each class of batch requests in a context, and gives the result in the form that was asked for.

extension NSBatchInsertRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .statusOnly: .status
            case .objectIDs: .ids
            case .count: .count
            }
        return NSBatchInsertResult(
            resultType: resultType, result: try BatchExecution(context.state, form).insert(self))
    }
}

extension NSBatchUpdateRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .statusOnlyResultType: .status
            case .updatedObjectIDsResultType: .ids
            case .updatedObjectsCountResultType: .count
            }
        return NSBatchUpdateResult(
            resultType: resultType, result: try BatchExecution(context.state, form).update(self))
    }
}

extension NSBatchDeleteRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .resultTypeStatusOnly: .status
            case .resultTypeObjectIDs: .ids
            case .resultTypeCount: .count
            }
        return NSBatchDeleteResult(
            resultType: resultType, result: try BatchExecution(context.state, form).delete(self))
    }
}
