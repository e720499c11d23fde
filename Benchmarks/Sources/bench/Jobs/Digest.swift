// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A sum over what was read: equal for contenders that read the same.

import Foundation

struct Digest {
    private(set) var value: UInt64 = 0

    /// The order does not matter.
    @inline(__always) mutating func add(_ number: Int) { value &+= UInt64(bitPattern: Int64(number)) }

    /// The order matters.
    @inline(__always) mutating func append(_ number: Int) {
        value = value &* 31 &+ UInt64(bitPattern: Int64(number))
    }

    /// What J2 reads of an employee.
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

    /// A group of J8.
    mutating func add(count: Int, average: Double) {
        add(count &* 1_000_003)
        add(Int(average))
    }
}
