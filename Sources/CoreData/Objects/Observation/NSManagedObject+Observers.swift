// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Observers that are registered by the name of a key path, as in Apple's API before Swift.

public import CoreDataFoundation
import Foundation

/// An object that receives changes of values by key path.
///
/// On Apple's systems classes override this method of `NSObject`; without Objective-C a class adopts this protocol.
public protocol KeyValueObserver: AnyObject {
    /// A value has changed, or is about to (`notificationIsPriorKey`).
    ///
    /// - Parameters:
    ///   - keyPath: as it was registered.
    ///   - object: the observed object.
    ///   - change: the entries that the options request, and always `kindKey`.
    ///   - context: as it was registered.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

extension NSManagedObject {
    /// Notifies an observer whenever a value changes. `observe(_:options:changeHandler:)` does the same with types.
    ///
    /// - Parameters:
    ///   - observer: is not retained; when it is deallocated, the observation ends.
    ///   - keyPath: a property's name, or a chain of them ("author.name", "books.@count"). Traps if there is no such
    ///     property.
    ///   - options: the values that the observer gets, and whether it gets an initial call.
    ///   - context: distinguishes observations; passed back to the observer.
    /// - Important: call on the context's queue.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        let registration = NamedRegistration(observer, keyPath, context)
        let value = TypedValueObserver<NSManagedObject, Any?>(
            self, options: options,
            read: { root, observer in
                root.value(for: observer, .named(keyPath)) { root.value(forKeyPath: keyPath) }
            },
            handler: { [weak registration] in registration?.notify($0, $1, options) })
        registration.value = value
        observersMade.registrations.removeAll { $0.observer == nil }
        observersMade.registrations.append(registration)
        value.start()
    }

    /// Ends an observation that was registered with the same arguments.
    ///
    /// Traps without such an observation, unless the object has left its context: that ends its observations.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        endObservation(observer, keyPath) { $0.context == context }
    }

    /// Ends the latest observation of a key path by an observer. Traps as `removeObserver(_:forKeyPath:context:)` does.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        endObservation(observer, keyPath) { _ in true }
    }

    private func endObservation(
        _ observer: any KeyValueObserver, _ keyPath: String, _ condition: (NamedRegistration) -> Bool
    ) {
        let index = objectExtension?.observers?.registrations.lastIndex {
            $0.observer === observer && $0.keyPath == keyPath && condition($0)
        }
        guard let index, let ended = objectExtension?.observers?.registrations.remove(at: index) else {
            if table.owner == nil { return }
            preconditionFailure(
                "\(observer) does not observe '\(keyPath)' of \(self): remove it once, with the context it was added with."
            )
        }
        ended.value?.cancel()
    }
}

/// One observer that was registered by name.
final class NamedRegistration {
    private(set) weak var observer: (any KeyValueObserver)?
    let keyPath: String
    let context: UnsafeMutableRawPointer?
    var value: ValueObserver?

    init(_ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer?) {
        self.observer = observer
        self.keyPath = keyPath
        self.context = context
    }

    func notify(
        _ object: NSManagedObject, _ change: NSKeyValueObservedChange<Any?>, _ options: NSKeyValueObservingOptions
    ) {
        guard let observer else {
            value?.cancel()
            return
        }
        observer.observeValue(
            forKeyPath: keyPath, of: object, change: Self.dictionary(change, options), context: context)
    }

    private static func dictionary(_ change: NSKeyValueObservedChange<Any?>, _ options: NSKeyValueObservingOptions)
        -> [NSKeyValueChangeKey: Any]
    {
        var result: [NSKeyValueChangeKey: Any] = [.kindKey: change.kind.rawValue]
        if let new = change.newValue { result[.newKey] = new ?? NSNull() }
        if let old = change.oldValue { result[.oldKey] = old ?? NSNull() }
        if let indexes = change.indexes { result[.indexesKey] = indexes }
        if change.isPrior { result[.notificationIsPriorKey] = true }
        return result
    }
}
