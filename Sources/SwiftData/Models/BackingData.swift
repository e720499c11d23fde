// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values that back a model.

import Foundation

/// The values that back a model, by key path, for code of other macros.
///
///     let values: any BackingData<Book> = Book.createBackingData()
///     values.setValue(forKey: \.title, to: "Dune")
///     context.insert(Book(backingData: values))
///
/// It belongs to the actor of the model. Key paths that cannot be written trap in the setters.
public protocol BackingData<Model>: AnyObject {
    /// The class.
    associatedtype Model: PersistentModel

    /// New values, in no context.
    init(for modelType: Model.Type)

    /// Arbitrary data of the caller; the engine ignores it.
    var metadata: Any { get set }
    /// The identifier of the record.
    var persistentModelID: PersistentIdentifier? { get set }

    /// The value of a property.
    func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value
    /// The value of a property with a transformer.
    func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value
    /// Sets a property.
    func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
    /// Sets a property with a transformer.
    func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
}
