// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The macros that make classes models, and actors owners of a context.

/// Makes a class a model: its stored properties are kept in a store.
///
///     @Model final class Book {
///         #Unique<Book>([\.isbn])
///         var isbn: String
///         var title: String
///         @Relationship(inverse: \Author.books) var author: Author?
///         init(isbn: String, title: String) {
///             self.isbn = isbn
///             self.title = title
///         }
///     }
///
/// Every stored property is part of the schema, but for `static`, `lazy`, `@Transient` and wrapped ones. A property of
/// another model's type is a to-one, an array of models a to-many. A subclass of a model with the macro is a
/// subentity. `Documentation/Internals/SwiftData.md` has the types and the rules.
@attached(member, conformances: Observable, PersistentModel, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel)
public macro Model() = #externalMacro(module: "CoreDataMacros", type: "ModelMacro")

/// Sets options of an attribute of a model.
///
///     @Attribute(.unique) var isbn: String
///     @Attribute(.externalStorage) var cover: Data?
///
/// - Parameters:
///   - options: such as `.unique` and `.externalStorage`.
///   - originalName: the name in older versions of the schema, which a migration looks for.
///   - hashModifier: any text; another one makes another version of the schema.
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CoreDataMacros", type: "ModelAttributeMacro")

/// Sets options of a relationship of a model.
///
///     @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
///
/// - Parameters:
///   - options: `.ordered` keeps the order of a to-many.
///   - deleteRule: the effect of a deletion on the models at the other end.
///   - minimumModelCount: checked by `save()`.
///   - maximumModelCount: checked by `save()`; 0 is no limit.
///   - originalName: the name in older versions of the schema, which a migration looks for.
///   - inverse: the property of the destination that leads back. One end says it.
///   - hashModifier: any text; another one makes another version of the schema.
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

/// Gives an actor a container, a private context, and an executor that works off the main thread.
///
///     @ModelActor actor Importer {
///         func add(_ titles: [String]) throws {
///             for title in titles { modelContext.insert(Book(title: title)) }
///             try modelContext.save()
///         }
///     }
///     try await Importer(modelContainer: container).add(["Dune"])
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
