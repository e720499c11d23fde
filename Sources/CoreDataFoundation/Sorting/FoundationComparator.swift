// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells Foundation's sort descriptors by value from those with a comparator of the user's.

import Foundation

/// `NSSortDescriptor(keyPath:ascending:)` keeps a closure of its own where `NSSortDescriptor(keyPath:ascending:comparator:)`
/// keeps the user's. Only the code in it tells them apart, and a store that sorted by value in place of a comparator would
/// give another order without a word.
enum FoundationComparator {
    /// Nil, and then every descriptor is taken to sort by value, where Foundation's closure is not the same each time.
    private static let byValue: UInt? = {
        let one = code(of: NSSortDescriptor(keyPath: \NSObject.hash, ascending: true))
        let other = code(of: NSSortDescriptor(keyPath: \NSObject.description, ascending: false))
        return one == other ? one : nil
    }()

    /// The code of the closure that our initializer hands to Foundation's.
    private static let byNamedValue = code(of: NSSortDescriptor(keyPath: \Sample.value, ascending: true))

    private final class Sample: KeyValueCoding {
        let value = 0
        func value(forKey key: String) -> Any? { nil }
        func setValue(_ value: Any?, forKey key: String) {}
    }

    static func isByValue(_ descriptor: NSSortDescriptor) -> Bool {
        guard type(of: descriptor) == NSSortDescriptor.self else { return false }
        let code = code(of: descriptor)
        return byValue == nil || code == byValue || code == byNamedValue
    }

    /// A closure is the address of its code and a reference to what it captured. The address is only compared.
    private static func code(of descriptor: NSSortDescriptor) -> UInt {
        // In a structure, because a closure that is handed to generic code by itself is wrapped in another one.
        struct Closure { let comparator: Comparator }
        return unsafeBitCast(Closure(comparator: descriptor.comparator), to: (code: UInt, captured: UInt).self).code
    }
}
