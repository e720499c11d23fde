// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A checksum of the read values, equal for contenders that read the same values.

import Foundation

struct Digest {
    private(set) var value: UInt64 = 0

    /// Adds a number independently of its order.
    @inline(__always) mutating func add(_ number: Int) { value &+= UInt64(bitPattern: Int64(number)) }

    /// Adds a number depending on its order.
    @inline(__always) mutating func append(_ number: Int) {
        value = value &* 31 &+ UInt64(bitPattern: Int64(number))
    }

    /// Adds the attributes of an employee in J2.
    @inline(__always) mutating func add(
        name: String, salary: Double, hireDate: Date, isActive: Bool, badge: Int64, hasDepartment: Bool,
        hasManager: Bool
    ) {
        add(name.utf8.count)
        add(Int(salary))
        add(Int(hireDate.timeIntervalSinceReferenceDate))
        add(isActive ? 1 : 0)
        add(Int(badge))
        add(hasDepartment ? 3 : 0)
        add(hasManager ? 5 : 0)
    }

    /// Adds a group of J8.
    mutating func add(count: Int, average: Double) {
        add(count &* 1_000_003)
        add(Int(average))
    }
}
