// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds the attempts of a save to the report that observers get. Documentation/Internals/Telemetry.md

extension RunningOperation {
    /// Adds one attempt of a save.
    func note(_ attempt: [StoreChanges], _ settings: ContextSettings) {
        for changes in attempt {
            if changes.outcome.isWritten {
                report.rows += changes.inserted.count + changes.updated.count + changes.deleted.count
            }
            guard !changes.outcome.conflicts.isEmpty else { continue }
            report.conflicts += changes.outcome.conflicts.count
            report.conflictPolicy = Self.name(of: settings.read(\.mergePolicy))
        }
    }

    private static func name(of policy: Any) -> String {
        guard let policy = policy as? NSMergePolicy, type(of: policy) == NSMergePolicy.self else { return "custom" }
        return switch policy.mergeType {
        case .errorMergePolicyType: "error"
        case .mergeByPropertyStoreTrumpMergePolicyType: "mergeByPropertyStoreTrump"
        case .mergeByPropertyObjectTrumpMergePolicyType: "mergeByPropertyObjectTrump"
        case .overwriteMergePolicyType: "overwrite"
        case .rollbackMergePolicyType: "rollback"
        }
    }
}
