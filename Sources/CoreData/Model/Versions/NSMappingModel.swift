// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A mapping model: how the objects of one version of a model become objects of another version.

public import Foundation

/// Describes a migration from one version of a model to another, entity by entity.
///
/// A mapping model is read from a file that Xcode compiled, inferred from the two versions, or made in code:
///
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
///
/// Mutable; use it on one thread at a time.
open class NSMappingModel: NSObject {
    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The mappings of the entities, in the order of their execution. Setting nil removes all.
    open var entityMappings: [NSEntityMapping]! {
        get { mappings }
        set { mappings = newValue ?? [] }
    }

    /// The mappings by name; of several with one name the first. A mapping without a name is left out.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(
            mappings.compactMap { mapping in mapping.name.map { ($0, mapping) } },
            uniquingKeysWith: { first, _ in first })
    }

    final private var mappings: [NSEntityMapping] = []

    /// Makes a mapping model without mappings: a migration with it migrates no objects.
    public override init() { super.init() }

    /// Makes a mapping model of entity mappings.
    ///
    /// - Parameter entityMappings: in the order of their execution.
    init(entityMappings: [NSEntityMapping]) {
        mappings = entityMappings
        super.init()
    }

    /// Compares by content: the mappings of the entities, in order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return self === other || mappings == other.mappings
    }

    /// Equal mapping models have equal hashes. The hash depends on the names of the mappings.
    open override var hash: Int { mappings.map { $0.name ?? "" }.hashValue }

    open override var description: String {
        "<NSMappingModel: \(mappings.map { $0.name ?? "" }.joined(separator: ", "))>"
    }
}
