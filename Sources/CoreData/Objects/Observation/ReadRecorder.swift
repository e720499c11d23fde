// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out which properties a piece of code reads.

import CRuntime
import Synchronization

/// A property of an object, by name.
struct PropertyRead {
    let object: NSManagedObject
    let key: String
}

/// Records the properties that are read while it is active. A key path depends on these properties, through chains and
/// computed properties.
class ReadRecorder {
    private(set) var reads: [PropertyRead] = []

    /// The recorder of this thread.
    static var current: ReadRecorder? {
        ocd_read_recorder().map { Uncounted<ReadRecorder>(address: $0).object }
    }

    func record<Value>(_ read: () -> Value) -> Value {
        let outer = ocd_read_recorder()
        ocd_set_read_recorder(Uncounted(self).address)
        ocd_count_recorders(1)
        defer {
            ocd_count_recorders(-1)
            ocd_set_read_recorder(outer)
        }
        return read()
    }

    func note(_ object: NSManagedObject, _ key: String) {
        guard !reads.contains(where: { $0.object === object && $0.key == key }) else { return }
        reads.append(PropertyRead(object: object, key: key))
    }

    /// The value that a generated getter returns for a to-one without a destination.
    func destination(of object: NSManagedObject, _ key: String, as type: NSManagedObject.Type)
        -> NSManagedObject?
    { nil }

    /// Whether a key that the object's entity lacks reads as nil. Otherwise reading it traps.
    var allowsUnknownKeys: Bool { false }

    /// The value that a generated getter by name returns for a property without a value.
    func value(of object: NSManagedObject, _ key: String, as type: Any.Type) -> Any? { nil }
}

extension NSManagedObject {
    /// Whether a read must be recorded: for a recorder, or for Swift's Observation. Costs two loads if the program does
    /// not track reads.
    @inline(__always) final var recordsReads: Bool {
        (ocd_anything_records() || flags.contains(.observed)) && hasReadObserver
    }

    @inline(never) private final var hasReadObserver: Bool {
        ocd_read_recorder() != nil || flags.contains(.observed) || isReadInScope
    }

    @inline(__always) private final var isReadInScope: Bool {
        heldTable.look { $0.heldProbe.look { $0.isInScope() } }
    }

    /// Reports a read to the recorder of this thread, or else to the tracking scope around it.
    @inline(__always) final func willRead(_ key: String) {
        if recordsReads { noteRead(key) }
    }

    @inline(__always) final func willRead(_ slot: Int) {
        if recordsReads { noteRead(table.layout.properties[slot].name) }
    }

    @inline(never) final func noteRead(_ key: String) {
        if let recorder = ReadRecorder.current { return recorder.note(self, key) }
        if let observers = objectExtension?.observers, observers.isTracked { return observers.noteRead(of: self, key) }
        guard isReadInScope else { return }
        observersMade.noteRead(of: self, key, table.takeRegistrar())
    }
}

/// Records the properties that code reads of objects without a context, for modules whose classes are not managed
/// objects.
package enum PropertyReads {
    /// The objects with the names of the properties, in the order of the reads.
    package static func all(_ body: () -> Void) -> [(object: NSManagedObject, name: String)] {
        let recorder = ReadRecorder()
        recorder.record(body)
        return recorder.reads.map { ($0.object, $0.key) }
    }
}
