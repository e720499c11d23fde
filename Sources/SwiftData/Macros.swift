// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The macros that make classes models, and actors owners of a context.

/// Makes a class a model: its stored properties are kept in a store.
///
/// ```swift
/// @Model final class Album {
///     var name: String
///     @Relationship(deleteRule: .cascade, inverse: \Page.album) var pages: [Page] = []
///
///     init(name: String) { self.name = name }
/// }
///
/// @Model final class Page {
///     var number: Int
///     var album: Album?
///
///     init(number: Int) { self.number = number }
/// }
/// ```
///
/// Every stored property is part of the schema, but for `static`, `lazy`, `@Transient` and wrapped ones. A property of
/// another model's type is a to-one, an array of models a to-many. A subclass of a model with the macro is a subentity.
/// `Documentation/Internals/SwiftData.md` has the types and the rules.
///
/// - Important: a model belongs to its context, and to the actor of that. Give `persistentModelID` or values to other
///   tasks.
/// - Complexity: a property is read from the row by its position. A fetched model is a fault until its first property
///   is read.
/// - SeeAlso: `Attribute(_:originalName:hashModifier:)`,
///   `Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`,
///   `Transient()`, `ModelContainer`.
@attached(member, conformances: Observable, PersistentModel, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel)
public macro Model() = #externalMacro(module: "CoreDataMacros", type: "ModelMacro")

/// Sets options of an attribute of a model.
///
/// ```swift
/// @Model final class Photo {
///     @Attribute(.unique) var name: String
///     @Attribute(.externalStorage) var pixels: Data?
///     @Attribute(originalName: "caption") var title: String = ""
///
///     init(name: String) { self.name = name }
/// }
/// ```
///
/// A new model with the value of an `.unique` attribute that a record has updates that record when it is saved. With
/// `.externalStorage` large data lies in a file beside the store, and is read when its property is read. A renamed
/// property needs `originalName`, so that the migration finds its values.
///
/// - Parameters:
///   - options: such as `.unique`, `.externalStorage` and `.codable`.
///   - originalName: the name in older versions of the schema, which a migration looks for; nil if it did not change.
///   - hashModifier: any text; another one makes another version of the schema. nil for none.
/// - SeeAlso: `Schema.Attribute.Option`, `Unique(_:)`, `Transient()`.
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CoreDataMacros", type: "ModelAttributeMacro")

/// Sets options of a relationship of a model.
///
/// ```swift
/// @Model final class Album {
///     var name: String
///     @Relationship(deleteRule: .cascade, inverse: \Page.album) var pages: [Page] = []
///
///     init(name: String) { self.name = name }
/// }
///
/// @Model final class Page {
///     var number: Int
///     var album: Album?
///
///     init(number: Int) { self.number = number }
/// }
/// ```
///
/// Both ends change at once. Two ends that neither side names are inverses if each is the only one between the two
/// classes.
///
/// - Parameters:
///   - options: `.ordered` keeps the order of a to-many; without it the members come in the order in which they were
///     first saved.
///   - deleteRule: the effect of a deletion on the models at the other end. `.nullify` unless set. `.deny` makes
///     `ModelContext.save()` throw while there are such models.
///   - minimumModelCount: checked by `save()`.
///   - maximumModelCount: checked by `save()`; 0 is no limit.
///   - originalName: the name in older versions of the schema, which a migration looks for; nil if it did not change.
///   - inverse: the property of the destination that refers back. Name it at one end only. Written as nil, the
///     relationship has no inverse.
///   - hashModifier: any text; another one makes another version of the schema. nil for none.
/// - Complexity: a to-many is read when it is first used, in one statement;
///   `FetchDescriptor.relationshipKeyPathsForPrefetching` reads it along with a fetch.
/// - SeeAlso: `Schema.Relationship.DeleteRule`, `Attribute(_:originalName:hashModifier:)`.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
    inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CoreDataMacros", type: "ModelRelationshipMacro")

/// Leaves a stored property out of the schema: each instance has its own, with the initial value.
///
///     @Transient var isOpen = false
@attached(peer)
public macro Transient() = #externalMacro(module: "CoreDataMacros", type: "TransientMacro")

/// Lists properties that, taken together, identify a record: a new model with the same values updates that
/// record when it is saved.
///
///     #Unique<Book>([\.isbn], [\.title, \.year])
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "CoreDataMacros", type: "ModelListMacro")

/// Lists properties that stores index together.
///
///     #Index<Book>([\.title], [\.author, \.year])
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "CoreDataMacros", type: "ModelListMacro")

/// Lists properties that stores index together, with the kind of index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "CoreDataMacros", type: "ModelListMacro")

/// Gives an actor a container, a context for its own code, and an executor that works off the main thread.
///
/// Use it for imports and other work in the background.
///
/// ```swift
/// @ModelActor actor TripImporter {
///     func add(_ names: [String]) throws -> Int {
///         for name in names {
///             modelContext.insert(Trip(name: name, start: Date(timeIntervalSinceReferenceDate: 0)))
///         }
///         try modelContext.save()
///         return try modelContext.fetchCount(FetchDescriptor<Trip>())
///     }
/// }
/// ```
///
/// The macro adds `init(modelContainer:)`; `modelContext` is the actor's context. It does not save by itself unless
/// `autosaveEnabled` is set.
///
/// - Important: models must not leave the actor: return `persistentModelID`s or values. Other contexts have its saves
///   at their next call, the main context at the end of the turn of the main queue.
/// - Complexity: each actor has a queue and a context. Unchanged models that the actor does not hold are released.
/// - SeeAlso: `ModelContext`, `PersistentIdentifier`, `ModelContainer.mainContext`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "CoreDataMacros", type: "ModelActorMacro")

/// Not for direct use: `@Model` puts it on properties.
@attached(accessor, names: named(init), named(get), named(set))
public macro _PersistedProperty(_ slot: Int = 0, _ state: StaticString = "") =
    #externalMacro(module: "CoreDataMacros", type: "PersistedPropertyMacro")

/// Not for direct use: `@Model` puts it on initializers.
@attached(body)
public macro _ModelInitializer(_ state: StaticString, _ keeper: StaticString = "") =
    #externalMacro(module: "CoreDataMacros", type: "ModelInitializerMacro")
