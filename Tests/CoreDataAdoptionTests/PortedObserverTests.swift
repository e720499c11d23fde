// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Observers of notifications after a port.

import Testing

@testable import CoreDataAdoption

@Suite("Observers in ported sources") struct PortedObserverTests {
    private static let head = "#if canImport(ObjectiveC)\n        @objc\n    #endif\n    "

    @Test("observers by selector get a block where their method is plain, and the old statement stays for Apple")
    func observers() throws {
        let old = """
            class A {
                func start() {
                    NotificationCenter.default.addObserver(
                        self, selector: #selector(A.saved(_:)), name: .saved, object: context)
                }
                @objc func saved(_ note: Notification) {}
            }
            """
        let new = """
            class A {
                func start() {
                    #if canImport(ObjectiveC)
                        NotificationCenter.default.addObserver(
                        self, selector: #selector(A.saved(_:)), name: .saved, object: context)
                    #else
                        do {
                            nonisolated(unsafe) weak var observer: A?
                            observer = self
                            _ = NotificationCenter.default.addObserver(forName: .saved, object: context, queue: nil) { notification in
                                observer?.saved(notification)
                            }
                        }
                    #endif
                }
                \(Self.head)func saved(_ note: Notification) {}
            }
            """
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "the block calls the method with its label, of another file, or without a notification",
        arguments: [
            ("self.saved(note:)", "func saved(note: Notification) {}", "notification", "saved(note: notification)"),
            ("saved", "func saved() {}", "_", "saved()"),
            (
                "A.saved(_:)", "func saved(_ a: NSNotification) {}", "notification",
                "saved(notification as NSNotification)"
            ),
            (
                "Self.saved(_:)", "private func saved(_ a: Foundation.Notification) {}", "notification",
                "saved(notification)"
            ),
        ])
    func methods(selector: String, method: String, parameter: String, call: String) throws {
        let ported = try PortedSources([
            "A.swift":
                "class A {\n    init() {\n        c?.addObserver(self, selector: #selector(\(selector)), name: nil, object: nil)\n    }\n}",
            "B.swift": "extension A {\n    @objc \(method)\n}",
        ])
        let text = try #require(ported.files["A.swift"])
        #expect(text.contains("_ = c?.addObserver(forName: nil, object: nil, queue: nil) { \(parameter) in\n"))
        #expect(text.contains("observer?.\(call)\n") && ported.diagnostics.isEmpty, "\(ported)")
    }

    @Test(
        "a method on the main actor is called there",
        arguments: [("@MainActor class A", "@objc func"), ("class A", "@MainActor @objc func")])
    func mainActor(type: String, method: String) throws {
        let ported = try PortedSources.file(
            "\(type) {\n    init() { c.addObserver(self, selector: #selector(saved), name: .a, object: nil) }\n"
                + "    \(method) saved(_ n: Notification) {}\n}")
        #expect(
            ported.text.contains(
                """
                    init() {
                        #if canImport(ObjectiveC)
                            c.addObserver(self, selector: #selector(saved), name: .a, object: nil)
                        #else
                            _ = c.addObserver(forName: .a, object: nil, queue: nil) { [weak self] notification in
                                nonisolated(unsafe) let notification = notification
                                MainActor.assumeIsolated { self?.saved(notification) }
                            }
                        #endif
                    }
                """), "\(ported)")
        #expect(ported.text == ported.again && ported.reports.isEmpty)
    }

    @Test("a class that removes itself keeps the tokens of its blocks, and removes these") func removal() throws {
        let old = """
            public final class A: NSObject {
                func start() {
                    c.addObserver(self, selector: #selector(saved), name: .saved, object: nil)
                }
                func stop() {
                    c.removeObserver(self, name: .saved, object: nil)
                }
                @objc func saved() {}
                deinit { NotificationCenter.default.removeObserver(self) }
            }
            """
        let new = """
            public final class A: NSObject {
                #if !canImport(ObjectiveC)
                    nonisolated(unsafe) var notificationTokens: [(name: Notification.Name?, token: any NSObjectProtocol)] = []
                #endif
                func start() {
                    #if canImport(ObjectiveC)
                        c.addObserver(self, selector: #selector(saved), name: .saved, object: nil)
                    #else
                        do {
                            nonisolated(unsafe) weak var observer: A?
                            observer = self
                            notificationTokens.append((.saved, c.addObserver(forName: .saved, object: nil, queue: nil) { _ in
                                observer?.saved()
                            }))
                        }
                    #endif
                }
                func stop() {
                    #if canImport(ObjectiveC)
                        c.removeObserver(self, name: .saved, object: nil)
                    #else
                        for observer in notificationTokens where observer.name == .saved { c.removeObserver(observer.token) }
                        notificationTokens.removeAll { $0.name == .saved }
                    #endif
                }
                \(Self.head)func saved() {}
                deinit {
                    #if canImport(ObjectiveC)
                        NotificationCenter.default.removeObserver(self)
                    #else
                        for observer in notificationTokens { NotificationCenter.default.removeObserver(observer.token) }
                        notificationTokens.removeAll()
                    #endif
                }
            }
            """
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "a removal that would end no block is reported",
        arguments: [
            "c.removeObserver(self, name: .saved, object: context)", "list.map { c.removeObserver(self); f() }",
        ])
    func reportedRemovals(removal: String) throws {
        let ported = try PortedSources([
            "A.swift": """
            extension A {
                func start() { c.addObserver(self, selector: #selector(saved), name: .saved, object: nil) }
                func stop() { \(removal) }
                @objc func saved() {}
            }
            """
        ])
        #expect(ported.diagnostics.count == 1)
        #expect(ported.diagnostics.allSatisfy { $0.contains("3: removeObserver ends no block") }, "\(ported)")
    }

    @Test(
        "the removal of other observers stays",
        arguments: ["b.removeObserver(self, forKeyPath: \"a\")", "c.removeObserver(token)"])
    func otherRemovals(removal: String) throws {
        let ported = try PortedSources.file(
            "class A {\n    init() { c.addObserver(self, selector: #selector(f), name: .a, object: nil) }\n"
                + "    func f() {}\n    func stop() { \(removal) }\n}")
        #expect(ported.text.contains("func stop() { \(removal) }") && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "an observer with a method elsewhere, or a method that is not plain, is reported with its line",
        arguments: [
            "", "func saved(_ note: Notification) async {}", "func saved(_ a: Int, _ b: Notification) {}",
            "func saved(_ a: Notification) {}\nfunc saved() {}",
        ])
    func unusualObservers(method: String) throws {
        let call = "c.addObserver(self, selector: #selector(saved(_:)), name: n, object: nil)"
        let source = "class A {\nfunc f() {\n    \(call)\n}\n\(method)\n}"
        let ported = try PortedSources.file(source)
        #expect(ported.text == source)
        #expect(ported.reports.count == 1)
        #expect(ported.reports.allSatisfy { $0.hasPrefix("3: #selector needs Objective-C") }, "\(ported)")
    }
}
