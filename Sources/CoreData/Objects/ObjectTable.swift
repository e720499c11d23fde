// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shared data of all objects of one entity, one store and one context.

import CRuntime
import Foundation
import Observation

/// The one reference through which an object reaches its entity, its identity map and its context.
///
/// It outlives the context; then `owner` is nil, and so is the `managedObjectContext` of every object.
final class ObjectTable {
    let layout: EntityLayout
    let identityMap: IdentityMap
    /// nil for objects that no store has yet.
    let home: StoreIdentity?
    /// The same, to be looked at without counting a reference.
    private let heldHome: Uncounted<StoreIdentity>?
    /// Retained, so that a store that is removed meanwhile is asked when it is closed, not gone. nil without a context.
    @exclusivity(unchecked) private var homeRecords: (any RecordStore)?
    /// The store as one that answers in rows; nil for unsaved objects, for those in no context, and once the store is
    /// removed. A cast to the protocol costs as much as a look-up, so it is done once.
    @inline(__always) var records: (any RecordStore)? {
        guard let home else { return nil }
        let records = homeRecords  // before the question: a read after it would make Swift retain the table as well
        return home.linkNumber == homeLink ? records : recordsOfOther(home)
    }

    /// nil for a store that was removed; the records of the store that took over its identity.
    @inline(never) private func recordsOfOther(_ home: StoreIdentity) -> (any RecordStore)? {
        guard owner != nil, home.hasStore else { return nil }
        findStore()
        return homeRecords
    }

    /// The `linkNumber` of the identity when the store was looked up; -1 for a table without a context.
    @exclusivity(unchecked) private var homeLink: Int
    /// The row cache of that store.
    @exclusivity(unchecked) private var homeRows: Counted<RowCache>
    /// The class that the model names. Looked up again when classes have become known since.
    var objectClass: NSManagedObject.Type {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return resolvedClass
    }
    @exclusivity(unchecked) private var resolvedClass: NSManagedObject.Type = NSManagedObject.self
    /// -1: never looked up. The tables of objects that left their context never need to.
    @exclusivity(unchecked) private var knownClasses = -1
    /// The class that objects were made of last; mostly it is the only one.
    @exclusivity(unchecked) private var flaggedClass: ObjectIdentifier?
    @exclusivity(unchecked) private var flagsOfClass: ObjectFlags = []
    /// Cleared by the context when it goes away; never read by anything else meanwhile, objects belong to its queue.
    @exclusivity(unchecked) unowned(unsafe) var owner: (any ObjectOwner)? {
        didSet { ownerName = owner.map(ObjectIdentifier.init) }
    }
    /// Whether objects of a module above hold the owner.
    @exclusivity(unchecked) var isOwnerHeld = false
    /// Whether the context of the objects is gone: then links that were not read lead nowhere.
    @exclusivity(unchecked) private(set) var hasLostOwner = false
    /// The identity of the owner.
    @exclusivity(unchecked) private(set) var ownerName: ObjectIdentifier?
    /// Destinations of objects without an extension.
    let followed: FollowedDestinations
    /// The tables of the destinations that to-ones had last, by ordinal. These live as long as the context has this
    /// table, and are read only while there is an owner.
    private let neighbours: UncountedCells<ObjectTable>
    /// The table of objects that have left the context: one for all of them, as long as there are any.
    var detached: ObjectTable {
        if let knownDetached { return knownDetached }
        let table = ObjectTable.detached(layout, home: home)
        table.origin = self
        knownDetached = table
        return table
    }
    private weak var knownDetached: ObjectTable?
    /// The table that these objects had in their context. Held, as another thread may be reading an object's id
    /// through it.
    private var origin: ObjectTable?
    /// Tables that objects of this one had before. Held for the same reason (Objects-T1).
    private var predecessors: [ObjectTable] = []
    /// The same, of objects that came back from there: such a table holds this one, so it goes when the context does.
    private var returned: [ObjectTable] = []
    /// The predecessor that was added last, to be compared without counting a reference.
    @exclusivity(unchecked) private var lastPredecessor: UnsafeMutableRawPointer?
    /// Whether the log has a warning about objects of this table that are read without a context.
    private var hasWarned = false
    /// Notices reads in tracking scopes.
    @inline(__always) var heldProbe: Uncounted<TrackingProbe> { probe.uncounted.unsafelyUnwrapped }
    @exclusivity(unchecked) private var probe: Counted<TrackingProbe>

    /// A registrar for an object that is read in a tracking scope. It is the probe's, which the scope observes already.
    func takeRegistrar() -> ObservationRegistrar {
        // Several threads may read objects that are in no context, so their probe stays.
        guard owner != nil else { return ObservationRegistrar() }
        let used = heldProbe.object
        probe.object = TrackingProbe(after: used)
        return used.registrar
    }

    /// The key paths that name properties for Swift's Observation.
    var propertyKeyPaths: [String: KeyPath<NSManagedObject, Any?>] = [:]
    /// The checks before an object is saved.
    var rules: ValidationRules { heldRules.object }
    /// The same, to be looked at without counting a reference.
    @inline(__always) var heldRules: Uncounted<ValidationRules> { knownRules.uncounted ?? makeRules() }
    @exclusivity(unchecked) private var knownRules = Counted(ValidationRules?.none)

    private func makeRules() -> Uncounted<ValidationRules> {
        let rules = ValidationRules(layout)
        knownRules.object = rules
        return Uncounted(rules)
    }
    /// The class has rules of its own, for single values.
    var validatesItself: Bool {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return classValidates
    }
    @exclusivity(unchecked) private var classValidates = false

    /// To-manys whose members are looked at before an object is saved: those with a rule about them, or all, if the
    /// class has rules of its own.
    var checkedMembers: [Int] { validatesItself ? layout.toManySlots : rules.ruledMembers }

    private func resolveClass() {
        knownClasses = ObjectClasses.knownCount
        resolvedClass = ObjectClasses.resolve(layout.entity)
        classValidates = MethodOverride.validateValue.isPresent(in: resolvedClass)
    }

    /// Which flags objects of a class have from the beginning.
    @inline(__always) func classFlags(_ type: NSManagedObject.Type) -> ObjectFlags {
        if ObjectIdentifier(type) != flaggedClass { learnFlags(type) }
        return flagsOfClass
    }

    private func learnFlags(_ type: NSManagedObject.Type) {
        if EntityCompanion.of(layout.entity)?.objectClass == type {
            flagsOfClass = [.slotsMatch, .reportsHolding, .ignoresEqualValues]
        } else {
            flagsOfClass = SlotSignature(layout).begins(with: SlotSignature.declared(by: type)) ? .slotsMatch : []
        }
        flaggedClass = ObjectIdentifier(type)
    }

    init(
        layout: EntityLayout, identityMap: IdentityMap, home: StoreIdentity?, owner: (any ObjectOwner)?
    ) {
        self.layout = layout
        self.identityMap = identityMap
        self.home = home
        heldHome = home.map { Uncounted($0) }
        let records = owner == nil ? nil : home?.store as? any RecordStore
        homeRecords = records
        homeLink = records == nil ? -1 : home?.linkNumber ?? -1
        homeRows = Counted(records?.rowCache)
        self.owner = owner
        ownerName = owner.map(ObjectIdentifier.init)
        followed = FollowedDestinations(layout, identityMap.sharedLock)
        probe = Counted(TrackingProbe())
        neighbours = UncountedCells(count: layout.toOneSlots.count)
    }

    /// The identity was passed to another store.
    func findStore() {
        homeLink = home?.linkNumber ?? -1
        homeRecords = home?.store as? any RecordStore
        setRows()
    }

    private func setRows() { homeRows.object = homeRecords?.rowCache }

    /// Holds the table that an object had before it got this one (Objects-T1).
    @inline(__always) func succeed(_ old: Uncounted<ObjectTable>) {
        if old.address != lastPredecessor { hold(old.object) }
    }

    private func hold(_ old: ObjectTable) {
        guard old !== self else { return }
        lastPredecessor = Uncounted(old).address
        if old.holds(self) {
            if !returned.contains(where: { $0 === old }) { returned.append(old) }
        } else if !predecessors.contains(where: { $0 === old }) {
            predecessors.append(old)
        }
    }

    private func holds(_ other: ObjectTable) -> Bool {
        origin === other || origin?.holds(other) ?? false || predecessors.contains { $0 === other || $0.holds(other) }
    }

    /// The context has no more use for it. Objects may go on to have it, which hold no store open.
    func leave() {
        owner = nil
        hasLostOwner = true
        returned = []
        homeRecords = nil
        setRows()
    }

    /// Logs, once for each table, that a value or link was read that only a context could have given.
    func warnOfLostContext(_ id: NSManagedObjectID) {
        if hasWarned { return }
        hasWarned = true
        DiagnosisLog.warn(
            "An object of the entity '\(layout.name)' (\(id)) was read, but its context is gone or was reset: what was "
                + "not read before is nil, zero or empty. Keep the context alive, or fetch the object again in another "
                + "one.")
    }

    /// For an object that is in no context.
    ///
    /// - Parameter home: the store that had its record, so that its id stays what it was.
    static func detached(_ layout: EntityLayout, home: StoreIdentity? = nil) -> ObjectTable {
        ObjectTable(layout: layout, identityMap: IdentityMap(), home: home, owner: nil)
    }

    /// Whether the store's row cache has another row for an object than the one it has.
    @inline(__always) func hasOtherRow(_ key: Int64, than row: Uncounted<Snapshot>) -> Bool {
        guard let homeRows = homeRows.uncounted, let heldHome, heldHome.look({ $0.linkNumber }) == homeLink
        else { return hasRowElsewhere(key, row) }
        return homeRows.look { $0.hasOther(root: layout.rootIndex, key: key, than: row) }
    }

    /// The same for a store that took over the identity of the one that the table knows.
    @inline(never) private func hasRowElsewhere(_ key: Int64, _ row: Uncounted<Snapshot>) -> Bool {
        records?.rowCache.hasOther(root: layout.rootIndex, key: key, than: row) ?? false
    }

    /// Where the object that a to-one of these objects leads to is registered, if it is, where the one before it was
    /// of the same entity; nil says nothing.
    @inline(__always) func neighbourMap(_ ordinal: Int, _ reference: Reference) -> Uncounted<IdentityMap>? {
        guard ownerName != nil, reference.key > 0, let neighbour = neighbours[ordinal] else { return nil }
        return neighbour.look { $0.layout.index == reference.entityIndex ? Uncounted($0.identityMap) : nil }
    }

    /// A to-one of these objects led to one of another table.
    func noteNeighbour(_ ordinal: Int, _ table: ObjectTable) {
        let isLasting =
            table.home === home && home != nil && table.owner != nil
            && table.identityMap.sharedLock === identityMap.sharedLock
        neighbours[ordinal] = isLasting ? Uncounted(table) : nil
    }

    /// Makes the object for a record: a fault, registered; `row` primes it.
    func makeFault(_ key: Int64, row: Snapshot?) -> NSManagedObject {
        makeFault(key, heldRow: row.map { Uncounted($0) })
    }

    /// - Parameter heldRow: somebody holds it meanwhile.
    @inline(__always) func makeFault(_ key: Int64, heldRow: Uncounted<Snapshot>?) -> NSManagedObject {
        var ticket = CreationTicket(table: Uncounted(self), key: key, row: heldRow, type: objectClass)
        return ticket.redeem(layout.entity)
    }
}

/// Hands table, key and row to the initializer that all managed objects share, past subclasses that do not know of
/// them.
///
/// # Invariants
/// (1) Only an object of the ticket's own class takes it: the initializer of a subclass may make other objects before
///     it calls super.
/// (2) A ticket that waited while another one was redeemed waits again afterwards.
struct CreationTicket {
    /// The maker of the ticket retains table and row.
    let table: Uncounted<ObjectTable>
    let key: Int64
    let row: Uncounted<Snapshot>?
    let type: NSManagedObject.Type

    @inline(__always) mutating func redeem(_ entity: NSEntityDescription) -> NSManagedObject {
        withUnsafeMutablePointer(to: &self) { ticket in
            let waiting = ocd_exchange_creation_ticket(ticket)
            let object = ticket.pointee.type.create(entity, nil)
            if let waiting { _ = ocd_exchange_creation_ticket(waiting) }
            return object
        }
    }

    /// The ticket of the object being made on this thread; nil when a user makes one.
    @inline(__always) static func take(for type: NSManagedObject.Type) -> UnsafePointer<CreationTicket>? {
        guard let waiting = ocd_creation_ticket() else { return nil }
        let ticket = UnsafePointer(waiting.assumingMemoryBound(to: CreationTicket.self))
        guard ticket.pointee.type == type else { return nil }
        _ = ocd_exchange_creation_ticket(nil)
        return ticket
    }
}

extension [NSManagedObject] {
    /// Made anew each time.
    var ids: [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(count)
        lookAtEach { ids.append($0.ownID) }
        return ids
    }

    /// By something that objects of one table have in common; mostly that is one group.
    func grouped<Part: AnyObject>(by part: (ObjectTable) -> Part) -> [[NSManagedObject]] {
        func name(_ object: NSManagedObject) -> ObjectIdentifier {
            object.heldTable.look { ObjectIdentifier(part($0)) }
        }
        guard let first = first.map(name) else { return [] }
        if isTrue(of: { name($0) == first }) { return [self] }
        return Array<[NSManagedObject]>(Dictionary(grouping: self, by: name).values)
    }
}
