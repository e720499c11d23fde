// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which of the objects that want the same unique values keeps them, and the fate of the others.

/// The rules are those of `Documentation/Internals/Merging.md`, Merging-11 to 13.
struct UniquenessDecision<Object> {
    /// Records that take back all changes.
    var rolledBack: [Object] = []
    /// Records that take back the change of the constrained properties.
    var withoutValues: [Object] = []
    /// Objects that are removed with their links.
    var removed: [Object] = []
    /// Objects that are absorbed by `keeper`, which may be among them.
    var absorbed: [Object] = []
    var keeper: Object?
    /// Whether the keeper takes the attributes and to-ones of the last absorbed insertion.
    var takesValues = false
    /// Whether the members of that insertion take the place of the keeper's instead of joining them.
    var replacesMembers = false

    /// - Parameters:
    ///   - holder: the object whose record has the values; nil if there is none, or if it gives them up in this save.
    ///   - records: saved objects that were changed to the values.
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
