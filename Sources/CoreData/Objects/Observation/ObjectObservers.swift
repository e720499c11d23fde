// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The observers of one object, and how its changes reach them.

import CRuntime
public import Observation

/// `withObservationTracking` reports changes of properties that were read inside its scope.
/// Documentation/Internals/Observation.md.
extension NSManagedObject: Observable {}

/// The observers of one object. Created when a property of it is first tracked or observed; kept as long as the object
/// has its context.
final class ObjectObservers {
    /// Taken from the table's probe when the object is first read in a tracking scope.
    private var registrar: ObservationRegistrar?
    private var observers: [String: ContiguousArray<ValueObserver>] = [:]
    /// The observers that were registered by name, for `removeObserver`.
    var registrations: [NamedRegistration] = []

    init() { ocd_count_observed(1) }
    deinit { ocd_count_observed(-1) }

    /// Whether the object was read in a tracking scope before.
    var isTracked: Bool { registrar != nil }

    func noteRead(of object: NSManagedObject, _ key: String) {
        registrar?.access(object, keyPath: object.table.keyPath(key))
    }

    /// Records the first read of a tracked object.
    ///
    /// - Parameter registrar: the one that the scope already observes.
    func noteRead(of object: NSManagedObject, _ key: String, _ registrar: ObservationRegistrar) {
        self.registrar = registrar
        noteRead(of: object, key)
    }

    func willChange(_ object: NSManagedObject, _ key: String, _ members: MemberChange?) {
        registrar?.willSet(object, keyPath: object.table.keyPath(key))
        for observer in observers[key] ?? [] { observer.willChange(members) }
    }

    func didChange(_ object: NSManagedObject, _ key: String) {
        registrar?.didSet(object, keyPath: object.table.keyPath(key))
        for observer in observers[key] ?? [] { observer.didChange() }
    }

    /// Views of a relationship follow primitive values. Other observers are not notified of these.
    func didSetPrimitive(_ key: String) { for observer in observers[key] ?? [] { observer.didSetPrimitive() } }

    /// Also removes observers that have ended: they may end on any thread, so they are not removed then.
    func add(_ observer: ValueObserver, _ key: String) {
        observers[key, default: []].removeAll { $0.isCancelled || $0 === observer }
        observers[key, default: []].append(observer)
    }

    func remove(_ observer: ValueObserver, _ key: String) { observers[key]?.removeAll { $0 === observer } }

    /// Whether there is neither an observer nor a registrar.
    fileprivate var isIdle: Bool {
        registrar == nil && registrations.isEmpty && observers.values.allSatisfy(\.isEmpty)
    }
}

extension NSManagedObject {
    final var observersMade: ObjectObservers {
        if let observers = objectExtension?.observers { return observers }
        let made = ObjectObservers()
        extensionMade.observers = made
        flags.insert(.observed)
        return made
    }

    /// Without other observers of the object, its changes cost nothing again.
    final func endObservation(by observer: ValueObserver, _ key: String) {
        guard let observers = objectExtension?.observers else { return }
        observers.remove(observer, key)
        guard observers.isIdle else { return }
        objectExtension?.observers = nil
        flags.remove(.observed)
    }

    /// Represents a property by name in the key paths that Swift's Observation uses; never called.
    fileprivate final subscript(property key: String) -> Any? { value(forKey: key) }
}

extension ObjectTable {
    fileprivate func keyPath(_ key: String) -> KeyPath<NSManagedObject, Any?> {
        if let known = propertyKeyPaths[key] { return known }
        let made = \NSManagedObject[property: key]
        propertyKeyPaths[key] = made
        return made
    }
}
