// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that need nothing but one instance: comparisons of its properties with constants, and what joins them.

import Foundation

/// The quick way through a predicate, for objects of Foundation's classes and ours.
///
/// Classes that hold one another in constants, because closures and members of arrays are counted up and down each
/// time they are called: a third of what asking costs.
class InstanceTest {
    func matches(_ object: NSObject) throws -> Bool { false }
}

/// Compares a property with what is made ready.
final class PropertyTest: InstanceTest {
    private let path: ReadyKeyPath
    private let test: (ComparableValue) throws -> Bool

    init(_ path: ReadyKeyPath, _ test: @escaping (ComparableValue) throws -> Bool) {
        self.path = path
        self.test = test
    }

    override func matches(_ object: NSObject) throws -> Bool { try test(path.comparable(of: object)) }
}

final class NegatedTest: InstanceTest {
    private let test: InstanceTest

    init(_ test: InstanceTest) { self.test = test }

    override func matches(_ object: NSObject) throws -> Bool { try !test.matches(object) }
}

/// Two tests in their order: AND, or OR.
final class JoinedTest: InstanceTest {
    private let first: InstanceTest
    private let second: InstanceTest
    /// The answer of the first that spares asking the second.
    private let settling: Bool

    private init(_ first: InstanceTest, _ second: InstanceTest, _ settling: Bool) {
        self.first = first
        self.second = second
        self.settling = settling
    }

    /// Any number of tests in their order; a tree as flat as can be, so that many of them do not use up the stack.
    ///
    /// - Parameter tests: at least one.
    static func join(_ tests: ArraySlice<InstanceTest>, _ settling: Bool) -> InstanceTest {
        if tests.count == 1 { return tests[tests.startIndex] }
        let middle = tests.startIndex + tests.count / 2
        return JoinedTest(join(tests[..<middle], settling), join(tests[middle...], settling), settling)
    }

    override func matches(_ object: NSObject) throws -> Bool {
        try first.matches(object) == settling ? settling : second.matches(object)
    }
}
