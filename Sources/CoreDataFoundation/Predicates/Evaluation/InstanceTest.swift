// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fast tests of a single instance: comparisons of its properties with constants, and their combinations.

import Foundation

/// The fast evaluation of a predicate, for objects of subclasses of NSObject.
///
/// Classes that refer to each other by constants: closures and array elements would be retained and released for each
/// call, which is a third of the evaluation's cost.
class InstanceTest {
    func matches(_ object: NSObject) throws -> Bool { false }
}

/// Compares a property with a prepared value.
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

/// Two tests, joined by AND or OR.
final class JoinedTest: InstanceTest {
    private let first: InstanceTest
    private let second: InstanceTest
    /// The result of the first test that makes the second unnecessary.
    private let settling: Bool

    private init(_ first: InstanceTest, _ second: InstanceTest, _ settling: Bool) {
        self.first = first
        self.second = second
        self.settling = settling
    }

    /// Joins any number of tests in order, in a balanced tree so that many tests do not overflow the stack.
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
