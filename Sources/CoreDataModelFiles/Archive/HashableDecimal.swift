// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decimals as members of Foundation's sets.

package import Foundation

/// A decimal with a hash: `NSDecimalNumber.hash` of Foundation on Linux recurses until the stack overflows.
package final class HashableDecimal: NSDecimalNumber, @unchecked Sendable {  // immutable, as its superclass
    package init(_ value: Decimal) { super.init(decimal: value) }

    package override var hash: Int { decimalValue.hashValue }

    /// The members of a set, with decimals that can be hashed.
    package static func members(_ members: [Any]) -> [Any] {
        members.map { ($0 as? NSDecimalNumber).map { HashableDecimal($0.decimalValue) } ?? $0 }
    }

    // MARK: Required of a number

    package required init(integerLiteral value: Int) { super.init(decimal: Decimal(value)) }
    package required init(floatLiteral value: Double) { super.init(decimal: Decimal(value)) }
    package required init(booleanLiteral value: Bool) { super.init(decimal: value ? 1 : 0) }
    package required init?(coder: NSCoder) { super.init(coder: coder) }
    package required init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<Int8>) {
        super.init(decimal: NSNumber(bytes: buffer, objCType: type).decimalValue)
    }
}
