// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the getter and setter of a managed property.

import SwiftSyntax

/// Calls of the functions in `CoreDataModeling/Access`, which are overloaded by property type.
struct AccessorText {
    let getter: String
    /// nil for attributes that stores compute.
    let setter: String?

    init(_ property: ManagedProperty, slot: String) {
        let key = quoted(property.name)
        let function = property.storage == .value ? "_get" : "_getTransformable"
        // A fallback for unknown raw values and undecodable bytes. Optional properties need none.
        let usesInitial = !property.isOptional && !property.isPlainValue
        let initial = usesInitial ? property.initial.map { ", initial: \($0.trimmedDescription)" } ?? "" : ""
        getter = "\(function)(\(slot), \(key)\(initial))"
        let setting = property.storage == .value ? "_set" : "_setTransformable"
        setter = property.isDerived ? nil : "\(setting)(newValue, \(slot), \(key))"
    }
}

func quoted(_ text: String) -> String { "\"\(text)\"" }
