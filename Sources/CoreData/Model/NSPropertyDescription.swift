// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The common base of attributes, relationships, fetched properties and computed columns.

import CoreDataFoundation
import CoreDataModelFiles
public import Foundation

/// One property of an entity. Entities contain only instances of the subclasses.
///
/// A description is mutable until a coordinator uses its model; a change after that traps. From then on it is
/// immutable, apart from its user info, and may be used from any thread.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// The entity that declares the property. For an inherited property it is the ancestor.
    ///
    /// - Important: traps for a property without an entity, or with a deallocated one.
    open var entity: NSEntityDescription {
        guard let owner else {
            preconditionFailure("The property '\(name)' belongs to no entity: add it to the 'properties' of one first.")
        }
        return owner
    }

    /// Letters, digits and underscores; unique among the entity's own and inherited properties.
    open var name: String = "" { willSet { assertMutable() } }

    /// Whether an object without a value for the property may be saved. True unless set.
    open var isOptional: Bool = true { willSet { assertMutable() } }

    /// Whether the value exists only in memory.
    open var isTransient: Bool = false { willSet { assertMutable() } }

    /// The validation rules; `SELF` is the value.
    public final private(set) var validationPredicates: [NSPredicate] = []

    /// One entry per validation predicate: a code (an `NSNumber`, 1550...1690) or the sentence of the error.
    public final private(set) var validationWarnings: [Any] = []

    /// Custom entries of the model's author, without effect. Empty unless set. May be set at any time on any thread,
    /// also while a coordinator uses the model.
    open var userInfo: [AnyHashable: Any]? {
        get { authorInfo.value }
        set { authorInfo.value = newValue }
    }

    /// Changes the version hash even if nothing else changes, for example when values get another meaning.
    open var versionHashModifier: String? { willSet { assertMutable() } }

    /// The name of the property in the previous version of the model; its own name unless set, or if set to nil.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set {
            assertMutable()
            explicitRenamingIdentifier = newValue
        }
    }

    /// Whether a store should create a single-property index for this property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { wantsIndex }
        set {
            assertMutable()
            wantsIndex = newValue
        }
    }

    /// Whether full-text search reads the property; false unless set. It has an effect on stored attributes of type
    /// String, see `SearchQuery`. Xcode's model editor calls it *Index in Spotlight*.
    ///
    /// The entry `search` = `trigram` of the attribute's user info lets a search find any part of a word: for texts in
    /// languages without spaces.
    open var isIndexedBySpotlight: Bool {
        get { wantsSpotlightIndex }
        set { wantsSpotlightIndex = newValue }
    }

    final var owner: NSEntityDescription? {
        get { ownerLink?.entity }
        set { ownerLink = newValue?.link }
    }
    final private var ownerLink: EntityLink?
    final private let authorInfo = AuthorInfo()
    final var explicitRenamingIdentifier: String?
    final var wantsIndex = false
    final var wantsSpotlightIndex = false { willSet { assertMutable() } }
    /// The rules in the form of model files; empty for rules set in code.
    final var validationDocuments: [ModelDocument.Validation] = []
    /// Faults of the property in its file, reported by `NSManagedObjectModel.check()`.
    final var loadingFaults: [ModelFault.Cause] = []
    final var isFrozen = false

    public override init() { super.init() }

    /// Compares by content, see `ModelEquality`. Properties of two entities may be equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return self === other || ModelEquality.areEqual(self, other)
    }

    /// Equal properties have equal hashes. The hash depends on the name.
    open override var hash: Int { name.hashValue }

    /// Sets the validation rules of the property.
    ///
    /// - Parameters:
    ///   - validationPredicates: nil means none.
    ///   - validationWarnings: one per predicate: an error code as a number, or a message for the user. A predicate
    ///     without a warning results in `NSManagedObjectValidationError` (1550).
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// Copies the description. The copy belongs to no entity and is mutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmptyCopy()
        copy.takeValues(of: self)
        return copy
    }

    final func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
        assertMutable()
        validationPredicates = predicates
        validationWarnings = warnings
        validationDocuments = []
    }

    /// Sets the rules of a model file; `check()` reports those that cannot be parsed.
    final func setValidation(_ rules: [ModelDocument.Validation]) {
        let readable = rules.compactMap { rule in
            (try? PredicateSyntax.parsing(rule.format)).map { ($0.predicate, rule.warning?.foundationValue) }
        }
        let standard = NSNumber(value: NSManagedObjectValidationError)
        setValidation(readable.map(\.0), warnings: readable.map { $0.1 ?? standard })
        validationDocuments = rules
    }

    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    func takeValues(of other: NSPropertyDescription) {
        name = other.name
        isOptional = other.isOptional
        isTransient = other.isTransient
        validationPredicates = other.validationPredicates
        validationWarnings = other.validationWarnings
        userInfo = other.userInfo
        versionHashModifier = other.versionHashModifier
        explicitRenamingIdentifier = other.explicitRenamingIdentifier
        wantsIndex = other.wantsIndex
        wantsSpotlightIndex = other.wantsSpotlightIndex
        validationDocuments = other.validationDocuments
        loadingFaults = other.loadingFaults
    }

    func freeze() { isFrozen = true }

    final func assertMutable() {
        precondition(
            !isFrozen,
            NSManagedObjectModel.frozenSentence("The property '\(qualifiedName)'")
        )
    }

    /// "Person.name" for messages.
    package final var qualifiedName: String { owner.map { "\($0.name ?? "").\(name)" } ?? name }
}
