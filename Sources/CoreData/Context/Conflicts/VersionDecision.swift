// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how a merge policy ends a conflict of versions: whether the object stays, and in which form.

/// The end of a conflict of versions for one object (Merging-8 to 10).
enum VersionDecision: Equatable {
    /// The newer row is taken over under the local changes that are left.
    case takesRow
    /// The newer row is taken over, then all local values are put back.
    case overwritesRow
    /// The deletion stands, and its delete rules run again on the newer row.
    case staysDeleted
    /// The deletion is revoked before the newer row is taken over.
    case returns
    /// The record is gone, and the object was deleted here as well.
    case isGone
    /// The record is gone: the object is written again, under its id.
    case isWrittenAgain
    /// The record is gone, and the object is deleted.
    case leaves

    /// - Parameters:
    ///   - hasRow: whether there still is a record.
    ///   - hasChanges: whether persistent values of the object have changed here.
    init(_ policy: NSMergePolicyType, hasRow: Bool, isDeleted: Bool, hasChanges: Bool) {
        switch (hasRow, isDeleted) {
        case (true, true): self = policy == .rollbackMergePolicyType ? .returns : .staysDeleted
        case (true, false): self = policy == .overwriteMergePolicyType && hasChanges ? .overwritesRow : .takesRow
        case (false, true): self = .isGone
        case (false, false):
            let objectWins =
                policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
            self = objectWins && hasChanges ? .isWrittenAgain : .leaves
        }
    }
}
