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
    /// Gives a value by `read`; `observer`, if there is one, hears of its changes from now on.
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value
}

extension _KeyValueCodingAndObserving {
    /// Calls a handler whenever a value changes.
    ///
    /// The value is read once, to find out what it depends on: the properties of the model that it is made of. They may
    /// be several (a computed property), and along a chain of to-one relationships (`\Book.author?.name`).
    ///
    /// - Parameters:
    ///   - keyPath: of a managed object, anything that reads properties of the model; of a context, `\.hasChanges`.
    ///     Traps for others.
    ///   - options: `new` and `old` ask for the values after and before a change, `initial` for a first call at once,
    ///     `prior` for a call before each change as well.
    ///   - changeHandler: gets the object and the change. It is called on the object's queue, after a change is
    ///     complete on both ends of a relationship.
    /// - Returns: the observation. It lasts as long as this token is kept. The object is not held by it.
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
        fireFault(nil)  // properties that `awakeFromFetch` reads are no part of the value
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
