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

/// A search for objects of one entity.
///
/// The type parameter is the type of the results of `NSManagedObjectContext.fetch(_:)`: a subclass of
/// `NSManagedObject`, or, with another `resultType`, `NSManagedObjectID`, `NSDictionary` or `NSNumber`. A request can
/// be executed any number of times. Do not change it on one thread while another one uses it.
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
    /// The condition that objects must meet; nil for all objects.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = newValue }
    }
    /// The order of the results; nil or empty for an undefined order.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }
    /// The greatest number of results; 0 for no limit.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }
    /// The number of matches to skip.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }
    /// The number of objects to read from the store at a time; 0 reads all at once.
    ///
    /// With a batch size the fetch reads only keys; the first access to an object reads the rows of its batch.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }
    /// The form of the results.
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
    /// Whether objects are returned as faults. `true` unless set. Their rows are read in both cases, so that firing a
    /// fault needs no further read.
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
    /// Key paths of relationships whose destinations are read along with the results, in one statement for each step.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.relationshipKeyPathsForPrefetching }
        set { settings.relationshipKeyPathsForPrefetching = newValue }
    }
    /// For dictionary results: the attributes, to-one relationships and expressions to return, as descriptions or
    /// names.
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
