// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values by key path, as expansions of other macros read and write them.

import CoreData
import Foundation

extension PersistentModel {
    /// The values of the model. Setting them makes the model that of another record, or of other new values.
    ///
    /// Traps for values that `createBackingData()` has not made, and that no model has given.
    public nonisolated var persistentBackingData: any BackingData<Self> {
        get { RowValues<Self>(_$row) }
        set { take(RowValues<Self>.row(of: newValue)) }
    }

    /// `persistentBackingData`, under the name that macros of other packages use.
    public nonisolated var _$backingData: any BackingData<Self> {
        get { persistentBackingData }
        set { persistentBackingData = newValue }
    }

    /// Makes the model of backing data that has none.
    ///
    /// Traps for values that `createBackingData()` has not made, and that no model has given.
    public nonisolated init(backingData: any BackingData<Self>) {
        let row = RowValues<Self>.row(of: backingData)
        self.init(_$row: row)
        take(row)
    }

    private nonisolated func take(_ row: ModelRow) {
        row.keep(_$row)
        row.take(self, from: _$row)
    }

    /// New values, in no context.
    public nonisolated static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
        RowValues<P>(for: P.self)
    }

    /// The value of a property.
    public nonisolated func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { self[keyPath: keyPath] }

    /// The value of a property with a transformer.
    public nonisolated func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        self[keyPath: keyPath]
    }

    /// Sets a property. Traps for a key path that cannot be written.
    public nonisolated func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        guard let path = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
            preconditionFailure("\(keyPath) cannot be written: the property is a constant, or computed.")
        }
        self[keyPath: path] = newValue
    }

    /// Sets a property with a transformer. Traps for a key path that cannot be written.
    public nonisolated func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        setValue(forKey: keyPath, to: newValue)
    }
}

extension ModelRow {
    /// Its values, by key path.
    var values: any BackingData {
        func values<Model: PersistentModel>(_ type: Model.Type) -> any BackingData { RowValues<Model>(self) }
        let type: any PersistentModel.Type = Swift.type(of: model)
        return values(type)
    }
}

/// The values of a row, by key path. It keeps the row, not the model.
final class RowValues<Model: PersistentModel>: BackingData {
    let row: ModelRow
    var metadata: Any = ()

    init(_ row: ModelRow) { self.row = row }

    /// Makes a model with a new row, whose initial values come from the class declaration.
    init(for modelType: Model.Type) {
        let model = modelType.init(_$row: ModelRow(entity: ClassEntities.entity(of: modelType), insertInto: nil))
        row = ModelRow.of(model)
    }

    static func row(of values: any BackingData<Model>) -> ModelRow {
        guard let own = values as? RowValues<Model> else {
            preconditionFailure(
                "\(type(of: values)) is no backing data of \(Model.self): use \(Model.self).createBackingData().")
        }
        return own.row
    }

    private var model: Model {
        guard let model = row.model(as: Model.self) else { preconditionFailure("\(row) is of no \(Model.self).") }
        return model
    }

    var persistentModelID: PersistentIdentifier? {
        get { PersistentIdentifier(row) }
        set {
            precondition(
                newValue == persistentModelID, "The engine names records: the identifier of \(row) cannot be set.")
        }
    }

    func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { model.getValue(forKey: keyPath) }

    func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        model.getValue(forKey: keyPath)
    }

    func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        model.setValue(forKey: keyPath, to: newValue)
    }

    func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        model.setValue(forKey: keyPath, to: newValue)
    }
}
