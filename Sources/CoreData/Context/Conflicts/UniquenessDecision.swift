// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which of several objects with the same unique values keeps them, and the fate of the others.

/// The rules are those of `Documentation/Internals/Merging.md`, Merging-11 to 13.
struct UniquenessDecision<Object> {
    /// Records that drop all changes.
    var rolledBack: [Object] = []
    /// Records that drop the change of the constrained properties.
    var withoutValues: [Object] = []
    /// Objects that are removed with their links.
    var removed: [Object] = []
    /// Objects that are merged into `keeper`, which may be among them.
    var absorbed: [Object] = []
    var keeper: Object?
    /// Whether the keeper takes the attributes and to-one relationships of the last absorbed insertion.
    var takesValues = false
    /// Whether the members of that insertion replace the keeper's instead of being added.
    var replacesMembers = false

    /// - Parameters:
    ///   - holder: the object of the record that has the values; nil without such a record, or if this save changes its
    ///     values.
    ///   - records: saved objects that were set to the values.
    ///   - insertions: unsaved objects with the values.
    init(_ policy: NSMergePolicyType, holder: Object?, records: [Object], insertions: [Object]) {
        switch policy {
        case .errorMergePolicyType: return
        case .rollbackMergePolicyType:
            rolledBack = records
            removed = Array(insertions.dropFirst(holder == nil ? 1 : 0))
        case .mergeByPropertyStoreTrumpMergePolicyType:
            withoutValues = records
            absorbed = insertions
            keeper = holder ?? insertions.last
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            absorbed = [holder].compactMap { $0 } + records + insertions
            keeper = records.last ?? holder ?? insertions.last
            takesValues = true
            replacesMembers = policy == .overwriteMergePolicyType
        }
    }
}
