// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The data shared by all objects of one entity, one store and one context.

import CRuntime
import Foundation
import Observation

/// The only reference from an object to its entity, its identity map and its context.
///
/// It outlives the context; then `owner` is nil, and so is the `managedObjectContext` of every object.
final class ObjectTable {
    let layout: EntityLayout
    let identityMap: IdentityMap
    /// nil for objects that have no store yet.
    let home: StoreIdentity?
    /// The same, for reading without retaining it.
    private let heldHome: Uncounted<StoreIdentity>?
    /// Keeps a removed store alive, so that later calls fail with "store is closed". nil without a context.
    @exclusivity(unchecked) private var homeRecords: (any RecordStore)?
    /// The store as a `RecordStore`; nil for unsaved objects, for those without a context, and after the store was
    /// removed. A cast to the protocol costs as much as a look-up, so it is done once.
    @inline(__always) var records: (any RecordStore)? {
        guard let home else { return nil }
        let records = homeRecords  // before the comparison: Swift would retain the table as well for a read after it
        return home.linkNumber == homeLink ? records : recordsOfOther(home)
    }

    /// nil for a removed store; otherwise the store that took over the identity.
    @inline(never) private func recordsOfOther(_ home: StoreIdentity) -> (any RecordStore)? {
        guard owner != nil, home.hasStore else { return nil }
        findStore()
        return homeRecords
    }

    /// The `linkNumber` of the identity when the store was looked up; -1 for a table without a context.
    @exclusivity(unchecked) private var homeLink: Int
    /// The row cache of that store.
    @exclusivity(unchecked) private var homeRows: Counted<RowCache>
    /// The class that the model names. Looked up again after further classes were registered.
    var objectClass: NSManagedObject.Type {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return resolvedClass
    }
    @exclusivity(unchecked) private var resolvedClass: NSManagedObject.Type = NSManagedObject.self
    /// -1: never looked up. The tables of objects that left their context never need it.
    @exclusivity(unchecked) private var knownClasses = -1
    /// The class of the last new object; usually the only one.
    @exclusivity(unchecked) private var flaggedClass: ObjectIdentifier?
    @exclusivity(unchecked) private var flagsOfClass: ObjectFlags = []
    /// The context sets it to nil when it is deallocated. Only the context's queue reads it.
    @exclusivity(unchecked) unowned(unsafe) var owner: (any ObjectOwner)? {
        didSet { ownerName = owner.map(ObjectIdentifier.init) }
    }
    /// Whether objects of a higher module retain the owner.
    @exclusivity(unchecked) var isOwnerHeld = false
    /// Whether a higher module follows the first changes of the owner.
    @exclusivity(unchecked) var isOwnerWatched = false
    /// Whether the context is gone: then relationships that were not read are empty.
    @exclusivity(unchecked) private(set) var hasLostOwner = false
    /// The identity of the owner.
    @exclusivity(unchecked) private(set) var ownerName: ObjectIdentifier?
    /// Destinations of objects without an extension.
    let followed: FollowedDestinations
    /// The tables of the most recent destinations of to-one relationships, by ordinal. They live as long as the context
    /// has this table, and are read only while there is an owner.
    private let neighbours: UncountedCells<ObjectTable>
    /// The table of objects that have left the context: shared by all of them, while there are any.
    var detached: ObjectTable {
        if let knownDetached { return knownDetached }
        let table = ObjectTable.detached(layout, home: home)
        table.origin = self
        knownDetached = table
        return table
    }
    private weak var knownDetached: ObjectTable?
    /// The table that these objects had in their context. Retained, because another thread may be reading an object's
    /// id through it.
    private var origin: ObjectTable?
    /// Previous tables of these objects. Retained for the same reason (Objects-T1).
    private var predecessors: [ObjectTable] = []
    /// Previous tables of objects that returned to the context. Such a table retains this one, so the cycle is broken
    /// when the context goes away.
    private var returned: [ObjectTable] = []
    /// The predecessor that was added last, for comparing without retaining it.
    @exclusivity(unchecked) private var lastPredecessor: UnsafeMutableRawPointer?
    /// Whether a warning was logged about objects of this table that are read without a context.
    private var hasWarned = false
    /// Detects reads in tracking scopes.
    @inline(__always) var heldProbe: Uncounted<TrackingProbe> { probe.uncounted.unsafelyUnwrapped }
    @exclusivity(unchecked) private var probe: Counted<TrackingProbe>

    /// A registrar for an object that is read in a tracking scope. It is the probe's, which the scope already observes.
    func takeRegistrar() -> ObservationRegistrar {
        // Several threads may read objects without a context, so their probe is not replaced.
        guard owner != nil else { return ObservationRegistrar() }
        let used = heldProbe.object
        probe.object = TrackingProbe(after: used)
        return used.registrar
    }

    /// The key paths that name properties for Swift's Observation.
    var propertyKeyPaths: [String: KeyPath<NSManagedObject, Any?>] = [:]
    /// The checks before an object is saved.
    var rules: ValidationRules { heldRules.object }
    /// The same, for reading without retaining it.
    @inline(__always) var heldRules: Uncounted<ValidationRules> { knownRules.uncounted ?? makeRules() }
    @exclusivity(unchecked) private var knownRules = Counted(ValidationRules?.none)

    private func makeRules() -> Uncounted<ValidationRules> {
        let rules = ValidationRules(layout)
        knownRules.object = rules
        return Uncounted(rules)
    }
    /// Whether the class overrides the validation of single values.
    var validatesItself: Bool {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return classValidates
    }
    @exclusivity(unchecked) private var classValidates = false

    /// To-many relationships whose members are checked before an object is saved: those with a rule about them, or all,
    /// if the class overrides validation.
    var checkedMembers: [Int] { validatesItself ? layout.toManySlots : rules.ruledMembers }

    private func resolveClass() {
        knownClasses = ObjectClasses.knownCount
        resolvedClass = ObjectClasses.resolve(layout.entity)
        classValidates = MethodOverride.validateValue.isPresent(in: resolvedClass)
    }

    /// The initial flags of a class's objects.
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

    /// Looks up the store again after its identity was passed to another store.
    func findStore() {
        homeLink = home?.linkNumber ?? -1
        homeRecords = home?.store as? any RecordStore
        setRows()
    }

    private func setRows() { homeRows.object = homeRecords?.rowCache }

    /// Retains the table that an object had before it got this one (Objects-T1).
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

    /// Called when the context no longer needs the table. Objects may still have it, but it keeps no store open.
    func leave() {
        owner = nil
        hasLostOwner = true
        returned = []
        homeRecords = nil
        setRows()
    }

    /// Logs a warning, once for each table, that a value or link was read that only a context could have provided.
    func warnOfLostContext(_ id: NSManagedObjectID) {
        if hasWarned { return }
        hasWarned = true
        DiagnosisLog.warn(
            "An object of the entity '\(layout.name)' (\(id)) was read, but its context is gone or was reset: what was "
                + "not read before is nil, zero or empty. Keep the context alive, or fetch the object again in another "
                + "one.")
    }

    /// For an object without a context.
    ///
    /// - Parameter home: the store of its record, so that its id does not change.
    static func detached(_ layout: EntityLayout, home: StoreIdentity? = nil) -> ObjectTable {
        ObjectTable(layout: layout, identityMap: IdentityMap(), home: home, owner: nil)
    }

    /// Whether the store's row cache has another row for an object than its present one.
    @inline(__always) func hasOtherRow(_ key: Int64, than row: Uncounted<Snapshot>) -> Bool {
        guard let homeRows = homeRows.uncounted, let heldHome, heldHome.look({ $0.linkNumber }) == homeLink
        else { return hasRowElsewhere(key, row) }
        return homeRows.look { $0.hasOther(root: layout.rootIndex, key: key, than: row) }
    }

    /// The same for a store that took over the identity of the one that the table knows.
    @inline(never) private func hasRowElsewhere(_ key: Int64, _ row: Uncounted<Snapshot>) -> Bool {
        records?.rowCache.hasOther(root: layout.rootIndex, key: key, than: row) ?? false
    }

    /// The identity map in which the destination of a to-one relationship would be registered, if it has the same
    /// entity as the previous destination; nil if the map is not known.
    @inline(__always) func neighbourMap(_ ordinal: Int, _ reference: Reference) -> Uncounted<IdentityMap>? {
        guard ownerName != nil, reference.key > 0, let neighbour = neighbours[ordinal] else { return nil }
        return neighbour.look { $0.layout.index == reference.entityIndex ? Uncounted($0.identityMap) : nil }
    }

    /// Remembers the table of a to-one relationship's destination.
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

    /// - Parameter heldRow: the caller retains it during the call.
    @inline(__always) func makeFault(_ key: Int64, heldRow: Uncounted<Snapshot>?) -> NSManagedObject {
        var ticket = CreationTicket(table: Uncounted(self), key: key, row: heldRow, type: objectClass)
        return ticket.redeem(layout.entity)
    }
}

/// Passes table, key and row to the initializer that all managed objects share, bypassing subclasses, which do not know
/// these parameters.
///
/// # Invariants
/// (1) Only an object of the ticket's own class takes it: the initializer of a subclass may make other objects before
///     it calls super.
/// (2) A ticket that waited while another one was redeemed waits again afterwards.
struct CreationTicket {
    /// The creator of the ticket retains table and row.
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

    /// The ticket of the object being made on this thread; nil if the program makes the object.
    @inline(__always) static func take(for type: NSManagedObject.Type) -> UnsafePointer<CreationTicket>? {
        guard let waiting = ocd_creation_ticket() else { return nil }
        let ticket = UnsafePointer(waiting.assumingMemoryBound(to: CreationTicket.self))
        guard ticket.pointee.type == type else { return nil }
        _ = ocd_exchange_creation_ticket(nil)
        return ticket
    }
}

extension [NSManagedObject] {
    /// Created anew each time.
    var ids: [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(count)
        lookAtEach { ids.append($0.ownID) }
        return ids
    }

    /// Groups objects by a property of their tables; usually there is one group.
    func grouped<Part: AnyObject>(by part: (ObjectTable) -> Part) -> [[NSManagedObject]] {
        func name(_ object: NSManagedObject) -> ObjectIdentifier {
            object.heldTable.look { ObjectIdentifier(part($0)) }
        }
        guard let first = first.map(name) else { return [] }
        if isTrue(of: { name($0) == first }) { return [self] }
        return Array<[NSManagedObject]>(Dictionary(grouping: self, by: name).values)
    }
}
