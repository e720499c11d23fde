// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch request: entity, predicate, order, limit and offset, and the form of the results.

public import Foundation

/// The form of a fetch's results.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The bits of the type; a valid type has at most one.
    public let rawValue: UInt
    /// Creates a type from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Ids of managed objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries with the values of `propertiesToFetch`.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// One number: the count of matching objects.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A search for objects of one entity: condition, order, window, and the form of the results.
///
/// A request is a description and holds no results. `NSManagedObjectContext.fetch(_:)` carries it out.
///
/// ```swift
/// let request = NSFetchRequest<Memo>(entityName: "Memo")
/// request.predicate = NSPredicate(format: "folder.name == %@", "Home")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// request.fetchLimit = 20
/// let notes = try context.fetch(request)
/// ```
///
/// The type parameter is the type of the results: a subclass of `NSManagedObject`, or, with another `resultType`,
/// `NSManagedObjectID`, `NSDictionary` or `NSNumber`. Names and comparisons are checked when the request is carried
/// out: a name that the model lacks throws 134060 with the nearest one.
///
/// A request may be used any number of times; later changes of it do not change earlier results.
///
/// - Important: do not change a request on one thread while another one uses it.
/// - Complexity: requests that differ only in the values of simple comparisons (attributes, joined by AND) share one
///   prepared statement.
/// - SeeAlso: `NSManagedObjectContext.count(for:)`, `NSManagedObjectContext.fetchPaged(_:keptPages:)`, `explain(in:)`,
///   `NSFetchedResultsController`.
/// - Source: Core Data Programming Guide, "Fetching Objects".
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    @exclusivity(unchecked) final var settings = FetchSettings()

    public override init() { super.init() }

    /// A request for an entity by name; the entity is looked up in the context's model when the request is executed.
    public convenience init(entityName: String) {
        self.init()
        settings.entityName = entityName
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The entity to search. nil until a request made by name has been executed.
    open var entity: NSEntityDescription? {
        get { settings.entity }
        set {
            settings.entity = newValue
            settings.entityName = newValue?.name
        }
    }
    /// The name of the entity.
    open var entityName: String? { settings.entityName ?? settings.entity?.name }

    /// The condition that results fulfil; nil for all objects of the entity.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.predicate = NSPredicate(format: "isPinned == YES AND NONE tags.name == %@", "weekly")
    /// let notes = try context.fetch(request)
    /// ```
    ///
    /// Key paths may follow relationships. Objects and ids are compared by identity: `folder == %@` takes a
    /// `NSManagedObject` or an `NSManagedObjectID`. Objects with unsaved changes are matched as they are in the
    /// context; the stores match all others, so unsaved changes of their related objects do not count.
    ///
    /// Fetching throws 134060 for a key that the model lacks, and for a comparison that can hold for no object, such as
    /// a relationship with a text.
    ///
    /// - Complexity: the store evaluates the condition and uses the indexes of the model. A part that SQL cannot
    ///   express is evaluated in memory on the rows that the other parts leave, a block on registered objects:
    ///   `explain(in:)` names these parts.
    /// - SeeAlso: `NSPredicate`, `NSManagedObjectModel.fetchRequestTemplate(forName:)`.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = newValue }
    }

    /// The order of the results; nil or empty for the order in which the objects were first saved.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.sortDescriptors = [
    ///     NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
    /// ]
    /// let notes = try context.fetch(request)  // pinned notes first
    /// ```
    ///
    /// Results that the descriptors leave equal come in the order of their first save, or in its reverse if the last
    /// descriptor is descending, in every kind of store. Keys may lead through to-one relationships. nil comes first,
    /// in ascending order.
    ///
    /// Fetching throws 134060 for a descriptor with a comparator or without a key, and for a key path through a to-many
    /// relationship: stores sort by keys.
    ///
    /// - Complexity: the store sorts; an index of the first attribute avoids the sort. With unsaved changes of the
    ///   entity the context sorts the results once more.
    /// - SeeAlso: `NSSortDescriptor`, `NSFetchIndexDescription`.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The greatest number of results; 0, as it is unless set, for no limit.
    ///
    /// Set it with sort descriptors and `fetchOffset` to read a list page by page, or to 1 to ask whether there is any
    /// match.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.sortDescriptors = [NSSortDescriptor(key: "created", ascending: false)]
    /// request.fetchLimit = 20
    /// request.fetchOffset = 20  // the second page
    /// let page = try context.fetch(request)
    /// ```
    ///
    /// Unsaved changes of the context count: the window is cut from the list with them.
    ///
    /// - Complexity: the store reads the rows of the window only, unless the entity has unsaved changes in the context,
    ///   several stores hold it, or the predicate contains a block; then all matches are read. A large `fetchOffset`
    ///   costs the store a walk over the rows before it.
    /// - SeeAlso: `fetchOffset`, `fetchBatchSize`, `NSManagedObjectContext.fetchPaged(_:keptPages:)`.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }
    /// The number of matches to skip.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }

    /// The number of objects whose rows are read at a time; 0, as it is unless set, for all at once.
    ///
    /// With a batch size the fetch reads keys; the first access to an object reads the rows of its batch. Use it for
    /// long lists of which a program shows a part.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.fetchBatchSize = 100
    /// for note in try context.fetch(request) { print(note.title) }  // one statement for each 100 notes
    /// ```
    ///
    /// A row that cannot be read later gives nil, and the next save throws 134030, as for every fault.
    ///
    /// - Complexity: the array still holds an object for each result. For any number of results in bounded memory use
    ///   `NSManagedObjectContext.fetchPaged(_:keptPages:)`.
    /// - SeeAlso: `returnsObjectsAsFaults`, `shouldRefreshRefetchedObjects`, which reads all rows at once.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }

    /// The form of the results: objects, unless set to ids, dictionaries or a number.
    ///
    /// Ids may go to any thread. Dictionaries hold `propertiesToFetch`, and groups and sums that the store computes.
    ///
    /// ```swift
    /// let request = NSFetchRequest<NSManagedObjectID>(entityName: "Memo")
    /// request.resultType = .managedObjectIDResultType
    /// let ids = try context.fetch(request)  // may go to any thread
    /// ```
    ///
    /// The type parameter of the request has to fit: `NSManagedObject`, `NSManagedObjectID`, `NSDictionary` or
    /// `NSNumber`. Fetching throws 134060 for results of another type, and for a form that does not exist.
    ///
    /// - Complexity: ids and counts read keys only, and make no objects unless the entity has unsaved changes.
    ///   Dictionaries show the stores, without unsaved changes.
    /// - SeeAlso: `propertiesToFetch`, `NSManagedObjectContext.count(for:)`.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }
    /// Whether objects of subentities match too. `true` unless set.
    open var includesSubentities: Bool {
        get { settings.options[.includesSubentities] }
        set { settings.options[.includesSubentities] = newValue }
    }
    /// Whether whole rows are read and kept in the row cache; `false` reads only keys. `true` unless set.
    open var includesPropertyValues: Bool {
        get { settings.options[.includesPropertyValues] }
        set { settings.options[.includesPropertyValues] = newValue }
    }
    /// Whether unsaved changes of the context are considered in matching. `true` unless set. Dictionaries always show
    /// the saved values.
    open var includesPendingChanges: Bool {
        get { settings.options[.includesPendingChanges] }
        set { settings.options[.includesPendingChanges] = newValue }
    }

    /// Whether objects come as faults. `true` unless set.
    ///
    /// Set it to `false` where every property of every result is read at once, or where `awakeFromFetch()` has to run
    /// before the fetch returns.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.returnsObjectsAsFaults = false
    /// let notes = try context.fetch(request)
    /// print(notes.allSatisfy { !$0.isFault })  // true
    /// ```
    ///
    /// - Complexity: the rows are read with the fetch in both cases, so that firing a fault costs no statement.
    ///   `includesPropertyValues` set to `false` reads keys only.
    /// - SeeAlso: `NSManagedObject.isFault`, `fetchBatchSize`.
    open var returnsObjectsAsFaults: Bool {
        get { settings.options[.returnsObjectsAsFaults] }
        set { settings.options[.returnsObjectsAsFaults] = newValue }
    }
    /// Whether equal dictionaries are returned only once. For dictionary results.
    open var returnsDistinctResults: Bool {
        get { settings.options[.returnsDistinctResults] }
        set { settings.options[.returnsDistinctResults] = newValue }
    }
    /// Whether registered objects take the fetched values; unsaved changes are kept. If `true`, all rows are read at
    /// once, regardless of `fetchBatchSize`.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.options[.shouldRefreshRefetchedObjects] }
        set { settings.options[.shouldRefreshRefetchedObjects] = newValue }
    }

    /// Key paths of relationships whose objects are read along with the results; nil, as it is unless set, for none.
    ///
    /// Without it a loop that follows a relationship fires one fault after another, each with a statement.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.relationshipKeyPathsForPrefetching = ["folder", "tags"]
    /// for note in try context.fetch(request) { print(note.folder?.name ?? "", note.tags.count) }
    /// ```
    ///
    /// A path of several steps, such as `folder.owner`, reads the objects of each step. Fetching throws 134060 for a
    /// path that is no path of relationships.
    ///
    /// - Complexity: a bounded number of statements for each step, independent of the number of results. With
    ///   `fetchBatchSize` the rows of all results are read for it.
    /// - SeeAlso: `NSManagedObjectContext.repeatedFaultingPolicy`, which finds loops without prefetching.
    /// - Source: Core Data Programming Guide, "Faulting and Uniquing".
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.relationshipKeyPathsForPrefetching }
        set { settings.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The columns of dictionary results: attributes, to-one relationships and expressions; nil for all attributes.
    ///
    /// An element is the name or the description of a property, a key path along to-one relationships, or an
    /// `NSExpressionDescription` for a computed value. For other result types it has no effect.
    ///
    /// ```swift
    /// let rows = NSFetchRequest<NSDictionary>(entityName: "Memo")
    /// rows.resultType = .dictionaryResultType
    /// rows.propertiesToFetch = ["title", "folder.name"]
    /// for row in try context.fetch(rows) { print(row["title"] ?? "", row["folder.name"] ?? "") }
    /// ```
    ///
    /// A to-one relationship gives an `NSManagedObjectID`, a property without a value no entry. Fetching throws 134060
    /// for a to-many relationship, for a transient property and for a name that the entity lacks.
    ///
    /// - Complexity: the store reads these columns only, and computes functions such as `sum:` itself.
    /// - SeeAlso: `resultType`, `propertiesToGroupBy`, `havingPredicate`, `returnsDistinctResults`.
    open var propertiesToFetch: [Any]? {
        get { settings.propertiesToFetch }
        set { settings.propertiesToFetch = newValue }
    }
    /// For dictionary results: the properties by which aggregates are grouped, as descriptions or names.
    open var propertiesToGroupBy: [Any]? {
        get { settings.propertiesToGroupBy }
        set { settings.propertiesToGroupBy = newValue }
    }
    /// For dictionary results: the condition that groups must meet.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = newValue }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.settings = settings
        copy.affectedStores = affectedStores
        return copy
    }

    open override var description: String {
        "<NSFetchRequest: entity \(entityName ?? "none"), predicate \(predicate.map(String.init(describing:)) ?? "none"), "
            + "limit \(fetchLimit), offset \(fetchOffset)>"
    }
}

extension NSFetchRequest {
    /// A request of the same content for another type of results.
    convenience init<Other>(of request: NSFetchRequest<Other>) {
        self.init()
        settings = request.settings
        affectedStores = request.affectedStores
    }
}
