// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Retains registered objects while `retainsRegisteredObjects` is set.

import Synchronization

/// Empty unless `retainsRegisteredObjects` is set.
final class RetainedObjects {
    private let settings: ContextSettings
    @exclusivity(unchecked) private var objects: Set<NSManagedObject> = []

    init(_ settings: ContextSettings) { self.settings = settings }

    /// Whether objects are retained. Callers that register many objects read this setting once.
    @inline(__always) var isOn: Bool { settings.retainsRegisteredObjects.load(ordering: .relaxed) }

    @inline(__always) func retain(_ object: NSManagedObject) {
        if isOn { objects.insert(object) }
    }

    func releaseAll() { if isOn { objects = [] } }

    /// Called when the setting changes.
    func update(_ registered: () -> [NSManagedObject]) { objects = isOn ? Set(registered()) : [] }
}
