// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SwiftUI's property with a value of the surroundings, for types that are no views.

public import SwiftData

/// The values of the surroundings: the context.
public struct EnvironmentValues {
    /// The context that `with(modelContext:_:)` gave. Stops the program without one, as a view without a container has
    /// no models.
    public var modelContext: ModelContext {
        guard let context = Self.given else {
            preconditionFailure(
                "Read \\.modelContext of the environment: call EnvironmentValues.with(modelContext:_:) around the use.")
        }
        return context
    }

    /// Runs a closure in which `@Environment(\.modelContext)` and each `@Query` have a context.
    ///
    /// ```swift
    /// let titles = EnvironmentValues.with(modelContext: context) { shelf.books.map(\.title) }
    /// ```
    ///
    /// - Throws: the error of the closure.
    public static func with<Result>(modelContext: ModelContext, _ body: () throws -> Result) rethrows -> Result {
        try $values.withValue(Values(context: modelContext)) { try body() }
    }

    static var given: ModelContext? { values?.context }

    // A context belongs to one thread: the closure has no tasks, so the value stays on the thread that gave it.
    private final class Values: @unchecked Sendable {
        let context: ModelContext

        init(context: ModelContext) { self.context = context }
    }

    @TaskLocal private static var values: Values?
}

/// A property with a value of the surroundings, which is read at each use.
///
/// ```swift
/// @Environment(\.modelContext) private var context
/// ```
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>

    /// Names the value.
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

    /// The value.
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}
