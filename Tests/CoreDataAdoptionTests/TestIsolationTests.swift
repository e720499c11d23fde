// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Test methods of the main actor become asynchronous, and others stay.

import CoreDataGeneration
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Tests of the main actor") struct TestIsolationTests {
    private func edited(_ text: String, isMainActorByDefault: Bool = false) -> String {
        var conditions = BuildConditions()
        conditions.isMainActorByDefault = isMainActorByDefault
        return AdoptedSource(
            URL(fileURLWithPath: "/p/T.swift"), path: "T.swift", bytes: Array(text.utf8), ported: Array(text.utf8),
            conditions: conditions, bundle: nil
        ).text
    }

    @Test("methods of a class of the main actor are asynchronous, and the setup is in the asynchronous form")
    func mainActor() {
        let text = """
            import XCTest
            @MainActor final class T: XCTestCase {
                override func setUp() {
                    super.setUp()
                    a = 1
                }
                override func tearDownWithError() throws {
                    try super.tearDownWithError()
                    a = 2
                }
                override class func setUp() { super.setUp() }
                func testA() { wait(for: [b], timeout: 1) }
                func testB() throws { f { wait(for: [b]) } }
                func testC() async {}
                nonisolated func testD() {}
                func helper() { wait(for: [b]) }
                func testE(_ a: Int) {}
            }
            """
        #expect(
            edited(text) == """
                import XCTest
                @MainActor final class T: XCTestCase {
                    override func setUp() async throws {
                        
                        a = 1
                    }
                    override func tearDown() async throws {
                        
                        a = 2
                    }
                    override class func setUp() { super.setUp() }
                    func testA() async { await fulfillment(of: [b], timeout: 1) }
                    func testB() async throws { f { wait(for: [b]) } }
                    func testC() async {}
                    nonisolated func testD() {}
                    func helper() { wait(for: [b]) }
                    func testE(_ a: Int) {}
                }
                """)
    }

    @Test("a class below another test case calls the asynchronous setup of it") func base() {
        let text = "@MainActor class T: BaseTestCase {\n    override func setUp() { super.setUp() }\n}\n"
        #expect(
            edited(text)
                == "@MainActor class T: BaseTestCase {\n    override func setUp() async throws { try await super.setUp() }\n}\n"
        )
    }

    @Test("without the main actor nothing changes; the default isolation of the target counts")
    func isolation() {
        let text =
            "class T: XCTestCase {\n    func testA() {}\n    @MainActor func testB() {}\n}\nclass Tested: Item { func testA() {} }\n"
        let one = text.replacing("testB()", with: "testB() async")
        #expect(edited(text) == one)
        #expect(edited(text, isMainActorByDefault: true) == one.replacing("testA() {}\n", with: "testA() async {}\n"))
        #expect(
            edited("nonisolated class T: XCTestCase { func testA() {} }", isMainActorByDefault: true).contains(
                "testA() {}"))
    }
}
