// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out which properties a piece of code reads.

import CRuntime
import Observation

/// A property of an object, by name.
struct PropertyRead {
    let object: NSManagedObject
    let key: String
}

/// Notes the properties that are read while it records: what a key path depends on, chains and computed properties
/// included.
class ReadRecorder {
    private(set) var reads: [PropertyRead] = []

    /// The one that records on this thread, if any.
    static var current: ReadRecorder? {
        ocd_read_recorder().map { Unmanaged<ReadRecorder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The tracking scope is there to be noticed by `TrackingScope`: so one test serves both kinds of observation.
    func record<Value>(_ read: () -> Value) -> Value {
        let outer = ocd_read_recorder()
        ocd_set_read_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { ocd_set_read_recorder(outer) }
        return withObservationTracking(read) {}
    }

    func note(_ object: NSManagedObject, _ key: String) {
        guard !reads.contains(where: { $0.object === object && $0.key == key }) else { return }
        reads.append(PropertyRead(object: object, key: key))
    }

    /// What a generated getter gives for a to-one without a destination.
    func destination(of object: NSManagedObject, _ key: String, as type: NSManagedObject.Type)
        -> NSManagedObject?
    { nil }
}

extension NSManagedObject {
    /// Tells whoever tracks reads on this thread of one. Costs two loads where nobody does.
    @inline(__always) final func willRead(_ key: String) {
        if TrackingScope.mayBeActive { noteRead(key) }
    }

    @inline(__always) final func willRead(_ slot: Int) {
        if TrackingScope.mayBeActive { noteRead(table.layout.properties[slot].name) }
    }

    @inline(never) private func noteRead(_ key: String) {
        if let recorder = ReadRecorder.current { return recorder.note(self, key) }
        if TrackingScope.isActive { observersMade.noteRead(of: self, key) }
    }
}
