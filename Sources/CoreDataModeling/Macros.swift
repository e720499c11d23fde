// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The macros that make classes managed, and what comes along with `import CoreDataModeling`.

@_exported public import CoreData

/// Makes a subclass of `NSManagedObject` an entity, and its stored properties the entity's.
///
///     @ManagedObject(uniqueness: [["isbn"]]) final class Book: NSManagedObject {
///         var isbn: String = ""
///         @Attribute(.indexed) var title: String?
///         @Relationship(inverse: "books") var author: Author?
///     }
///     let model = try NSManagedObjectModel(classes: [Author.self, Book.self])
///
/// An optional type is an optional property, an initial value is the default in the model. `@Attribute` and
/// `@Relationship` say what a type cannot; `@NotManaged` leaves a property as it is. A superclass with the macro is the
/// superentity. `Documentation/Generation.md`, "Macros", has the types and the rules.
///
/// - Parameters:
///   - entity: the name of the entity; that of the class unless given.
///   - isAbstract: whether only subclasses have objects.
///   - uniqueness: combinations of attributes that no two objects may share.
///   - indexes: what stores keep indexes over.
///   - originalName: the name that the entity had in the previous version of the model.
///   - hashModifier: makes the version hash differ where nothing else does.
///   - userInfo: notes of yours in the model.
@attached(member, names: named(_DeclaredSlots), named(_declaration), arbitrary)
@attached(memberAttribute)
public macro ManagedObject(
    entity: String? = nil, isAbstract: Bool = false, uniqueness: [[String]] = [], indexes: [ManagedIndex] = [],
    originalName: String? = nil, hashModifier: String? = nil, userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "ManagedObjectMacro")

/// Says of an attribute what its type cannot.
///
/// - Parameters:
///   - options: marks such as `.unique` or `.codable`.
///   - originalName: the name that the attribute had in the previous version of the model.
///   - hashModifier: makes the version hash differ where nothing else does.
///   - derivation: the expression that stores compute the value from ("chapters.@count"); its type is optional then.
///   - rules: predicates in the format language that a value has to fulfil; `SELF` is the value.
///   - userInfo: notes of yours in the model.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil,
    derivedFrom derivation: String? = nil, rules: [String] = [], userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "AttributeMacro")

/// Says of a relationship what its type cannot.
///
/// - Parameters:
///   - options: `.required`, `.optional`, `.transient`.
///   - inverse: the name of the property that leads back; nil where none is meant.
///   - deleteRule: what becomes of the destinations when an object is deleted.
///   - minimumCount: the fewest destinations of an object that has any; 0 means no limit.
///   - maximumCount: the most destinations of a to-many; nil means no limit.
///   - originalName: the name that the relationship had in the previous version of the model.
///   - hashModifier: makes the version hash differ where nothing else does.
///   - userInfo: notes of yours in the model.
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption..., inverse: String? = nil, deleteRule: NSDeleteRule = .nullify,
    minimumCount: Int = 0, maximumCount: Int? = nil, originalName: String? = nil, hashModifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "CoreDataMacros", type: "RelationshipMacro")

/// Leaves a stored property of a managed class to Swift: not in the model, not tracked, gone with the object.
@attached(peer)
public macro NotManaged() = #externalMacro(module: "CoreDataMacros", type: "NotManagedMacro")

/// Put on properties by `@ManagedObject`; not for use by hand.
@attached(accessor)
public macro _ManagedProperty(_ slot: Int, in superclass: String) =
    #externalMacro(module: "CoreDataMacros", type: "ManagedPropertyMacro")
