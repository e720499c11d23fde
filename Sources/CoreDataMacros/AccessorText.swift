// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What stands in the getter and the setter of a managed property.

import SwiftSyntax

/// Calls of the functions in `CoreDataModeling/Access`, which are overloaded on the property's type.
struct AccessorText {
    let getter: String
    /// nil for what stores compute.
    let setter: String?

    init(_ property: ManagedProperty, slot: String) {
        let key = quoted(property.name)
        let function = property.storage == .value ? "_get" : "_getTransformable"
        // For raw values and bytes that make no value. What is nil otherwise needs none.
        let usesInitial = !property.isOptional && !property.isPlainValue
        let initial = usesInitial ? property.initial.map { ", initial: \($0.trimmedDescription)" } ?? "" : ""
        getter = "\(function)(\(slot), \(key)\(initial))"
        let setting = property.storage == .value ? "_set" : "_setTransformable"
        setter = property.isDerived ? nil : "\(setting)(newValue, \(slot), \(key))"
    }
}

func quoted(_ text: String) -> String { "\"\(text)\"" }
