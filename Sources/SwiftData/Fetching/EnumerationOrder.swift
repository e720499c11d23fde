// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of enumerations, which are stored by their raw values. SwiftData-P3.

import CoreDataFoundation
import Foundation

enum EnumerationOrder {
    /// All cases in order, if `<` of the enumeration differs from the order of its raw values; nil for an enumeration
    /// that agrees with it, one without `CaseIterable`, and other types.
    static func cases<Value: Comparable>(of type: Value.Type) -> [Value]? {
        guard type is any RawRepresentable.Type, case .raw = ValueForms.form(of: type),
            let cases = (type as? any CaseIterable.Type).flatMap({ all($0) as? [Value] })
        else { return nil }
        let raws = cases.sorted().map { ($0 as? any RawRepresentable).map { EngineValue.raw(of: $0) } }
        let agree = zip(raws, raws.dropFirst()).allSatisfy {
            ValueComparison.order($0 as Any, $1 as Any) == .orderedAscending
        }
        return agree ? nil : cases
    }

    private static func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }

    /// Whether a store sorts values of a type by their own order.
    static func isStored(_ type: any Any.Type) -> Bool {
        func check<Value: Comparable>(_ type: Value.Type) -> Bool { cases(of: type) == nil }
        return (ValueForms.unwrapped(type) as? any Comparable.Type).map { check($0) } ?? true
    }
}
