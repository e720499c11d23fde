// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that use features of XCTest that Linux lacks, and names that are for views only.

import CoreDataGeneration
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Features that Linux lacks") struct TestFeaturesTests {
    private func source(_ text: String) -> AdoptedSource {
        AdoptedSource(
            URL(fileURLWithPath: "/p/T.swift"), path: "T.swift", bytes: Array(text.utf8), ported: Array(text.utf8),
            conditions: BuildConditions(), bundle: nil)
    }

    @Test("a test with a missing feature is left out by its name, before a build") func tests() {
        var file = source(
            """
            import XCTest
            final class T: XCTestCase {
                override func setUp() {
                    executionTimeAllowance = 5
                    a = 1
                }
                func testA() { XCTExpectFailure("known") { XCTFail("x") } }
                func testB() { measure(metrics: [XCTClockMetric()]) { work() } }
                func testC() { measure { work() } }
                func testD() throws { throw XCTSkip("later") }
                func testE() { addTeardownBlock { try await self.clean() } }
                func testF() { let e = XCTKVOExpectation(keyPath: "a", object: b); wait(for: [e]) }
                #if canImport(Darwin)
                func testG() { XCTExpectFailure() }
                #endif
            }
            """)
        file.cutTestFeatures()
        #expect(file.cuts.map(\.declaration).sorted() == ["T.testA", "T.testB", "T.testF", "a statement of T.setUp"])
        #expect(file.cuts.flatMap(\.tests).sorted() == ["T.testA", "T.testB", "T.testF"])
        let reason = file.cuts.first { $0.declaration == "T.testA" }?.reason
        #expect(
            reason == "It uses 'XCTExpectFailure', which XCTest on Linux lacks. Swift Testing has withKnownIssue.")
        #expect(file.text.contains("testC") && file.text.contains("a = 1") && !file.text.contains("executionTime"))
    }

    @Test("a file without XCTest keeps such names") func others() {
        var file = source("import Testing\n@Test func a() { XCTExpectFailure() }\n")
        file.cutTestFeatures()
        #expect(file.cuts.isEmpty)
    }

    @Test("a property of AppStorage is left out with what stands in its place") func appStorage() {
        var file = source(
            "import SwiftUI\nclass Settings: ObservableObject {\n    @AppStorage(\"a\") var a = 1\n    var b = 2\n}\n")
        file.cutInterface(StatementRule())
        #expect(file.cuts.map(\.declaration) == ["Settings.a"])
        #expect(
            file.cuts.first?.reason.contains("'@AppStorage' of SwiftUI, which is for views; UserDefaults has the same")
                == true)
    }

    @Test("a query and the context stay outside of views, and other values of the environment do not") func queries() {
        var file = source(
            """
            import SwiftUI
            import SwiftData
            struct List: View { @Query var a: [Item] }
            struct Shelf { @Query var a: [Item] }
            struct Cleaner { @Environment(\\.modelContext) var context }
            struct Closer { @Environment(\\.dismiss) var dismiss }
            """)
        file.cutInterface(StatementRule())
        #expect(file.cuts.map(\.declaration) == ["List", "Closer"])
        #expect(file.imports("SwiftDataShims"))
    }
}
