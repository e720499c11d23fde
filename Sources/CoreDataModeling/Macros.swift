// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The macros that make classes managed, and the modules that `import CoreDataModeling` re-exports.

@_exported public import CoreData

/// Declares a subclass of `NSManagedObject` as an entity, with its stored properties as the entity's properties.
///
///     @ManagedObject(uniqueness: [["isbn"]]) final class Book: NSManagedObject {
///         var isbn: String = ""
///         @Attribute(.indexed) var title: String?
///         @Relationship(inverse: "books") var author: Author?
///     }
///     let model = try NSManagedObjectModel(classes: [Author.self, Book.self])
///
/// An optional type makes an optional property, an initial value is the default value in the model. `@Attribute` and
/// `@Relationship` add settings that a type cannot express; `@NotManaged` excludes a property. A superclass with the
/// macro is the superentity. `Documentation/Internals/Generation.md`, "Macros", has the types and the rules.
///
/// - Parameters:
///   - entity: the name of the entity; the class name unless given.
///   - isAbstract: whether only subclasses have objects.
///   - uniqueness: combinations of attributes that must be unique.
///   - indexes: the indexes of the entity.
///   - originalName: the name of the entity in the previous version of the model.
///   - hashModifier: changes the version hash even if nothing else changes.
///   - userInfo: custom entries in the model.
@attached(member, names: named(_DeclaredSlots), named(_declaration), arbitrary)
@attached(memberAttribute)
public macro ManagedObject(
    entity: String? = nil, isAbstract: Bool = false, uniqueness: [[String]] = [], indexes: [ManagedIndex] = [],
    originalName: String? = nil, hashModifier: String? = nil, userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "ManagedObjectMacro")

/// Adds settings to an attribute that its type cannot express.
///
/// - Parameters:
///   - options: options such as `.unique` or `.codable`.
///   - originalName: the name of the attribute in the previous version of the model.
///   - hashModifier: changes the version hash even if nothing else changes.
///   - derivation: the expression from which stores compute the value ("chapters.@count"); requires an optional type.
///   - rules: validation predicates in the format language; `SELF` is the value.
///   - userInfo: custom entries in the model.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil,
    derivedFrom derivation: String? = nil, rules: [String] = [], userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "AttributeMacro")

/// Adds settings to a relationship that its type cannot express.
///
/// - Parameters:
///   - options: `.required`, `.optional`, `.transient`.
///   - inverse: the name of the inverse relationship; nil for a one-way relationship.
///   - deleteRule: the effect of deleting an object on its destinations.
///   - minimumCount: the fewest destinations of an object that has any; 0 means no limit.
///   - maximumCount: the most destinations of a to-many relationship; nil means no limit.
///   - originalName: the name of the relationship in the previous version of the model.
///   - hashModifier: changes the version hash even if nothing else changes.
///   - userInfo: custom entries in the model.
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption..., inverse: String? = nil, deleteRule: NSDeleteRule = .nullify,
    minimumCount: Int = 0, maximumCount: Int? = nil, originalName: String? = nil, hashModifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "RelationshipMacro")

/// Excludes a stored property of a managed class from the model. It is neither tracked nor saved.
@attached(peer)
public macro NotManaged() = #externalMacro(module: "CoreDataMacros", type: "NotManagedMacro")

/// Added to properties by `@ManagedObject`; not for direct use.
@attached(accessor)
public macro _ManagedProperty(_ slot: Int, in superclass: String) =
    #externalMacro(module: "CoreDataMacros", type: "ManagedPropertyMacro")
