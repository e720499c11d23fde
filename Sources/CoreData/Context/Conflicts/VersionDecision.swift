// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how a merge policy resolves a version conflict: whether the object stays, and with which values.

/// The resolution of a version conflict for one object (Merging-8 to 10).
enum VersionDecision: Equatable {
    /// The newer row is applied below the remaining local changes.
    case takesRow
    /// The newer row is applied, then all local values are set again.
    case overwritesRow
    /// The deletion remains, and its delete rules are applied again to the newer row.
    case staysDeleted
    /// The deletion is revoked before the newer row is applied.
    case returns
    /// The record is missing, and the object was deleted here as well.
    case isGone
    /// The record is missing: the object is written again, under its id.
    case isWrittenAgain
    /// The record is missing, and the object is deleted.
    case leaves

    /// - Parameters:
    ///   - hasRow: whether the record still exists.
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
