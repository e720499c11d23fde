// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks codes, user info and sentences of the errors that callers see.

import Foundation
import Testing

@testable import CoreData

@Suite("Errors") struct ErrorTests {
    private let entity: NSEntityDescription = {
        let entity = NSEntityDescription()
        entity.name = "Invoice"
        return entity
    }()

    /// Proves: F91
    @Test("a missing value is 1570 with object and key, and says which")
    func missing() throws {
        let object = NSObject()
        let error = CoreDataError.validation(
            .validationMissingMandatoryProperty, object: object, entity: entity, key: "number")
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == 1570)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "number")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSObject === object)
        #expect(error.localizedDescription == "Invoice.number needs a value.")
    }

    /// Proves: F92
    @Test("the warning of a rule is the sentence, a number in its place is the code")
    func warnings() {
        let predicate = NSPredicate(value: false)
        let sentence = CoreDataError.validation(
            .managedObjectValidation, object: nil, key: "total", value: 3, predicate: predicate, warning: "Too cheap!")
        #expect(sentence.code == 1550)
        #expect(sentence.localizedDescription == "Too cheap!")
        #expect(sentence.userInfo[NSValidationValueErrorKey] as? Int == 3)
        #expect(sentence.userInfo[NSValidationPredicateErrorKey] as? NSPredicate === predicate)
        let code = CoreDataError.validation(
            .managedObjectValidation, object: nil, key: "total", warning: NSNumber(value: 1620))
        #expect(code.code == NSValidationNumberTooSmallError)
    }

    /// Proves: F93, F94
    @Test("several failures are 1560 with all of them, one is itself, none is nothing")
    func several() {
        let one = CoreDataError.validation(.validationMissingMandatoryProperty, object: nil, key: "a")
        let two = CoreDataError.validation(.validationStringTooLong, object: nil, key: "b")
        #expect(CoreDataError.multipleValidation([]) == nil)
        #expect(CoreDataError.multipleValidation([one]) as? NSError === one)
        let both = CoreDataError.multipleValidation([one, two]).map { $0 as NSError }
        #expect(both?.code == 1560)
        #expect(both?.userInfo[NSDetailedErrorsKey] as? [NSError] == [one, two])
        let nested = both.flatMap { CoreDataError.multipleValidation([$0, one]).map { $0 as NSError } }
        #expect((nested?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 3)
    }

    @Test("a model that does not fit says which entities differ")
    func incompatible() {
        let error = CoreDataError.incompatibleModel(
            storeHashes: ["A": Data([1]), "B": Data([2])], modelHashes: ["A": Data([9]), "C": Data([3])],
            url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        #expect(error.code == 134_100)
        let text = error.localizedDescription
        #expect(text.contains("/tmp/a.sqlite"))
        #expect(text.contains("These entities differ: A."))
        #expect(text.contains("The model lacks: B."))
        #expect(text.contains("The store lacks: C."))
    }

    @Test("errors are caught as CocoaError with their details")
    func caught() throws {
        var caught: CocoaError?
        do {
            throw CoreDataError.validation(
                .validationNumberTooLarge, object: nil, entity: entity, key: "total", value: 7)
        } catch let error as CocoaError {
            caught = error
        }
        let error = try #require(caught)
        #expect(error.code == .validationNumberTooLarge)
        #expect(error.validationKey == "total")
        #expect(error.validationValue as? Int == 7)
        #expect(error.code == CocoaError.validationNumberTooLarge)
    }

    @Test("a failure of SQLite carries its code")
    func sqlite() {
        let cause = NSError(domain: NSSQLiteErrorDomain, code: 11)
        let error = CoreDataError.cannotOpenStore(
            url: URL(fileURLWithPath: "/tmp/a"), .corrupt, reason: "It is damaged.", underlying: cause)
        #expect(error.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 11)
        #expect(error.userInfo[NSUnderlyingErrorKey] as? NSError === cause)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/tmp/a")
    }

    @Test("an error prints its sentence, then its codes, and no value of its user info")
    func printed() {
        let cause = NSError(domain: NSSQLiteErrorDomain, code: 14)
        let error: any Error = CoreDataError.general("The disk is gone.", underlying: cause)
        #expect("\(error)" == "The disk is gone. (NSCocoaErrorDomain 134060, NSSQLiteErrorDomain 14)")
        #expect(String(reflecting: error) == "\(error)")
        let invalid = CoreDataError.validation(
            .validationMissingMandatoryProperty, object: nil, entity: entity, key: "number", value: "secret")
        #expect("\(invalid)" == "Invoice.number needs a value. (NSCocoaErrorDomain 1570)")
        #expect((invalid as any Error as? CocoaError).map { "\($0)" } == "\(invalid)")
    }

    @Test("an error equals one of Foundation's with the same domain, code and user info")
    func equality() {
        let error = CoreDataError.general("The disk is gone.")
        let same = NSError(domain: error.domain, code: error.code, userInfo: error.userInfo)
        #expect(error == same && same == error)
    }
}
