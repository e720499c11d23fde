// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values that an application's own secure transformer wrote on Apple's systems.

import Foundation
import Testing

@testable import CoreData

/// Replaces the application's class of the same archive.
final class BookCover: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let text: String

    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
        self.text = String(describing: text)
    }

    func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "text") }
}

final class BookCoverTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [BookCover.self] }
}

@Suite("Secure transformers and Apple's stores") struct SecureTransformerTests {
    @Test("an application's transformer reads its own values there", .needsStoreFixtures)
    func reading() throws {
        let fixture = try StoreFixture("alemar11_CoreDataPlus__SampleModel2_V1.sqlite")
        NSKeyedUnarchiver.setClass(BookCover.self, forClassName: "CoreDataPlus_Tests.Cover")
        // Under this suite's name: other suites read these bytes with another class, in the same process.
        let name = "SecureTransformerTests.Cover"
        ValueTransformer.setValueTransformer(BookCoverTransformer(), forName: NSValueTransformerName(name))
        let model = try #require(try fixture.model())
        model.entitiesByName["Book"]?.attributesByName["cover"]?.valueTransformerName = name
        let stack = try FixtureStack(fixture.url, model)
        let books = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        let covers = books.compactMap { ($0.value(forKey: "cover") as? BookCover)?.text }
        #expect(books.count == 52)
        #expect(covers.sorted() == ["Cover Graphic Novel"] + Array(repeating: "default cover", count: 51))
    }
}
