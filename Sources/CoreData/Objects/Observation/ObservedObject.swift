// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Observing values by key path, as Foundation on a Mac does.

public import CoreDataFoundation

/// Key-value observing of managed objects and contexts, under the name in Apple's Foundation.
public protocol _KeyValueCodingAndObserving: AnyObject {}

/// The observed value, as the observer named it.
enum ObservedPath {
    case typed(AnyKeyPath)
    case named(String)

    /// For messages.
    var text: String {
        switch self {
        case .typed(let path): "\(path)"
        case .named(let name): "'\(name)'"
        }
    }
}

/// An object that reports its changes to observers.
protocol ObservedObject: _KeyValueCodingAndObserving {
    /// Reads a value by `read`, and notifies `observer`, if there is one, of its changes from now on.
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value
}

extension _KeyValueCodingAndObserving {
    /// Calls a handler whenever a value changes.
    ///
    /// The value is read once, to find out which properties of the model it depends on. There may be several (a
    /// computed property), also along a chain of to-one relationships (`\Book.author?.name`).
    ///
    /// - Parameters:
    ///   - keyPath: of a managed object, any path that reads properties of the model; of a context, `\.hasChanges`.
    ///     Traps for others.
    ///   - options: `new` and `old` request the values after and before a change, `initial` a first call at once,
    ///     `prior` an additional call before each change.
    ///   - changeHandler: receives the object and the change. It is called on the object's queue, after a change is
    ///     complete at both ends of a relationship.
    /// - Returns: the observation. It lasts as long as this token is kept. It does not retain the object.
    /// - Important: call on the context's queue.
    /// - Source: Apple's Foundation, "Using Key-Value Observing in Swift"; without Objective-C there are no selectors
    ///   to observe, so the key path is read instead.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observer: ValueObserver = TypedValueObserver<Self, Value>(
            self, options: options,
            read: { root, observer in
                observed(root).value(for: observer, .typed(keyPath)) { root[keyPath: keyPath] }
            },
            handler: changeHandler)
        observer.start()
        return NSKeyValueObservation { observer.cancel() }
    }
}

private func observed(_ object: any _KeyValueCodingAndObserving) -> any ObservedObject {
    guard let object = object as? any ObservedObject else {
        preconditionFailure("A \(type(of: object)) cannot be observed: only managed objects and contexts can.")
    }
    return object
}

extension NSManagedObject: ObservedObject {
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value {
        guard let observer else { return read() }
        table.owner?.checkOwnership(of: self)
        fireFault(nil)  // properties that `awakeFromFetch` reads are not part of the value
        let recorder = ReadRecorder()
        let value = recorder.record(read)
        precondition(
            !recorder.reads.isEmpty || !observer.watchesNothing,
            "\(path.text) reads no property of the model of \(self), so nobody would hear of its changes. Observe one."
        )
        if !recorder.reads.isEmpty { observer.watch(recorder.reads) }
        return value
    }
}
