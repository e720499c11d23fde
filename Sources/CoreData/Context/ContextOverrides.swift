// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects which methods of a context its class overrides, so that other methods call the overrides.

/// The methods that a subclass of `NSManagedObjectContext` overrides.
///
/// A mock or an app overrides the untyped forms. The typed ones call an override if there is one; for a plain context
/// that costs one comparison.
struct ContextOverrides: OptionSet {
    let rawValue: UInt8

    /// `fetch(_:)` of a request without a type.
    static let fetch = ContextOverrides(rawValue: 1)
    /// `count(for:)` of a request without a type.
    static let count = ContextOverrides(rawValue: 2)
    /// `performAndWait(_:)` without a result.
    static let performAndWait = ContextOverrides(rawValue: 4)

    private static let methods: [(ContextOverrides, MethodOverride)] = [
        (.fetch, MethodOverride(of: NSManagedObjectContext.self, shownBy: FetchProbe.self, notBy: PlainProbe.self)),
        (.count, MethodOverride(of: NSManagedObjectContext.self, shownBy: CountProbe.self, notBy: PlainProbe.self)),
        (
            .performAndWait,
            MethodOverride(of: NSManagedObjectContext.self, shownBy: WaitProbe.self, notBy: PlainProbe.self)
        ),
    ]

    /// The methods that a class overrides.
    init(of type: NSManagedObjectContext.Type) {
        self = []
        guard type != NSManagedObjectContext.self else { return }
        for (option, method) in Self.methods where method.isPresent(in: type) { insert(option) }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    private final class PlainProbe: NSManagedObjectContext, @unchecked Sendable {}

    private final class FetchProbe: NSManagedObjectContext, @unchecked Sendable {
        override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
            try super.fetch(request)
        }
    }

    private final class CountProbe: NSManagedObjectContext, @unchecked Sendable {
        override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
            try super.count(for: request)
        }
    }

    private final class WaitProbe: NSManagedObjectContext, @unchecked Sendable {
        override func performAndWait(_ block: () -> Void) { super.performAndWait(block) }
    }
}
