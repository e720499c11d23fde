// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how the limits of strings in a model's source are checked.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Limits of strings") struct StringLimitSpecification {
    /// Proves: M16
    @Test("a string that is too short or too long has its error code", arguments: StoreKind.all)
    func lengths(store: StoreKind) throws {
        let words = try Words(store, #"minValueString="3" maxValueString="5""#)
        // A limit counts UTF-16 units, as `length` of Foundation's strings does.
        for (text, code) in [("ab", 1670), ("", 1670), ("abcdef", 1660), ("a😀b😀", 1660)] {
            let error = try #require(words.saveFailure(text), "\(text)")
            #expect(error.code == code, "\(text)")
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "text")
            #expect(error.userInfo[NSValidationValueErrorKey] as? String == text)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === words.word)
            #expect(error.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
        }
        for text in ["abc", "😀a", "abcde", nil] { #expect(words.saveFailure(text) == nil) }
    }

    /// Proves: M16
    @Test("a string that does not match its pattern has its error code", arguments: StoreKind.all)
    func pattern(store: StoreKind) throws {
        let words = try Words(store, #"regularExpressionString="[a-z]+""#)
        #expect(words.saveFailure("abc1")?.code == 1680)
        #expect(words.saveFailure("abc") == nil)
    }

    /// Proves: M16
    @Test("several broken limits are reported together", arguments: StoreKind.all)
    func both(store: StoreKind) throws {
        let words = try Words(store, #"minValueString="3" regularExpressionString="[a-z]*""#)
        let error = try #require(words.saveFailure("A"))
        #expect(error.code == NSValidationMultipleErrorsError)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(Set(details.map(\.code)) == [1670, 1680])
    }

    /// Proves: M3, M16
    @Test("a string has a length for key-value coding and predicates", arguments: StoreKind.all)
    func length(store: StoreKind) throws {
        let words = try Words(store, "")
        words.word.setValue("a😀", forKey: "text")
        #expect(words.word.value(forKeyPath: "text.length") as? Int == 3)
        #expect(NSPredicate(format: "text.length == 3").evaluate(with: words.word))
        words.word.setValue(nil, forKey: "text")
        #expect(words.word.value(forKeyPath: "text.length") == nil)
    }
}

/// One word, in a model as an editor writes it.
private struct Words {
    let stack: Stack
    let word: NSManagedObject

    /// - Parameter limits: attributes of the property's element.
    init(_ store: StoreKind, _ limits: String) throws {
        let source = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Word" syncable="YES">
                    <attribute name="text" optional="YES" attributeType="String" \(limits)/>
                </entity>
            </model>
            """
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(source.utf8).write(to: folder.appending(path: "contents"))
        stack = try Stack(store, try #require(NSManagedObjectModel(contentsOf: folder)))
        word = NSEntityDescription.insertNewObject(forEntityName: "Word", into: stack.context)
    }

    func saveFailure(_ text: String?) -> NSError? {
        word.setValue(text, forKey: "text")
        return stack.context.saveFailure()
    }
}
