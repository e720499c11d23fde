// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of Combine that classes of an app's model layer have in their declarations. Sources that use more of
// Combine get OpenCombine in place of this module.

/// A class with properties that views observe on Apple's systems. On Linux nothing observes it, so that stacks and
/// services of an app compile and work unchanged.
///
/// ```swift
/// final class DataController: ObservableObject {
///     @Published var filter = ""
/// }
/// ```
///
/// `$filter` and subscriptions need Combine, and do not compile.
public protocol ObservableObject: AnyObject {
    /// The type of `objectWillChange`.
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher

    /// The announcement of changes. It has no subscribers on Linux.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// A new publisher for each call, since no state belongs to it.
    public nonisolated var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher() }
}

/// The publisher of an `ObservableObject`, without subscribers on Linux.
public final class ObservableObjectPublisher: Sendable {
    /// Makes a publisher. Any thread may call it.
    public init() {}

    /// Does nothing: an object has no subscribers on Linux. Any thread may call it.
    public func send() {}
}

/// A property of an `ObservableObject`. On Linux it is a plain property: changes are not published.
@propertyWrapper public struct Published<Value> {
    /// The value of the property.
    public var wrappedValue: Value

    /// Makes the property with its first value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Makes the property with its first value, for code that sets `_name` in an initializer.
    public init(initialValue: Value) { wrappedValue = initialValue }
}

extension Published: Sendable where Value: Sendable {}
