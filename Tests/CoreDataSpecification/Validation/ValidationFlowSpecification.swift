// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the order of validation, and the effect of changes during validation.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Validation within a save") struct ValidationFlowSpecification {
    /// Proves: M16, C22, F93
    @Test("four failures of two objects are four details", arguments: StoreKind.all)
    func details(store: StoreKind) throws {
        let form = try Forms(store)
        let forms = [form.make(), form.make()]
        let error = try #require(form.context.saveFailure())
        #expect(error.code == NSValidationMultipleErrorsError)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.count == 4)
        let told = details.map { "\($0.code) \($0.userInfo[NSValidationKeyErrorKey] as? String ?? "")" }
        #expect(told.sorted() == ["1570 name", "1570 name", "1570 owner", "1570 owner"])
        #expect(Set(details.compactMap { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject }) == Set(forms))
        for detail in details { #expect(error.localizedDescription.contains(detail.localizedDescription)) }
    }

    /// Proves: M16, F94, F96
    @Test("custom errors are among the model's, unchanged", arguments: StoreKind.all)
    func ownErrors(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.make()
        form.refusedName = "bad"
        form.setValue("bad", forKey: "name")
        let error = try #require(forms.context.saveFailure())
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.map(\.domain).sorted() == ["Form", NSCocoaErrorDomain])
        let own = try #require(details.first { $0.domain == "Form" })
        #expect(own.code == 42)
        #expect(own.userInfo["hint"] as? String == "another one")
        form.setValue(forms.make(named: "owner", ownedBy: form), forKey: "owner")
        #expect(forms.context.saveFailure()?.domain == "Form")
        form.setValue("good", forKey: "name")
        #expect(forms.context.saveFailure() == nil)
    }

    /// Proves: M16, F94
    @Test("an error of a program's type arrives as it was thrown", arguments: StoreKind.all)
    func ownErrorType(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.complete("x")
        form.ownError = FormError.refused(reason: "full moon")
        #expect(throws: FormError.refused(reason: "full moon")) { try forms.context.save() }
        #expect(forms.context.hasChanges)
        // Together with a failure of the model it is one of several errors.
        form.setValue(nil, forKey: "name")
        let error = try #require(forms.context.saveFailure())
        let codes = (error.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code)
        #expect(codes?.count == 2 && codes?.contains(NSValidationMissingMandatoryPropertyError) == true)
        form.ownError = nil
        form.setValue("x", forKey: "name")
        try forms.context.save()
    }

    /// Proves: M16
    @Test("a value that validation replaces is the one that is saved", arguments: StoreKind.all)
    func replaced(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.complete("  padded ")
        form.trims = true
        try forms.context.save()
        #expect(form.value(forKey: "name") as? String == "padded")
        forms.context.refresh(form, mergeChanges: false)
        #expect(form.value(forKey: "name") as? String == "padded")
    }

    /// Proves: M16
    @Test("a replacement of a class that the attribute cannot hold is an error", arguments: StoreKind.all)
    func wrongReplacement(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.complete("x")
        form.replacement = 12
        let error = try #require(forms.context.saveFailure() as? CocoaError)
        #expect(error.code == .managedObjectValidation)
        #expect(error.validationKey == "name")
        #expect(form.value(forKey: "name") as? String == "x")
        form.replacement = nil
        #expect(forms.context.saveFailure() == nil)
    }

    /// Proves: M16, M23
    @Test("objects that become dirty by validation are notified, validated and saved as well", arguments: StoreKind.all)
    func newlyDirty(store: StoreKind) throws {
        let forms = try Forms(store)
        let (first, second) = (forms.complete("first"), forms.complete("second"))
        try forms.context.save()
        first.setValue("changed", forKey: "name")
        first.inValidation = { second.setValue(nil, forKey: "name") }
        let error = try #require(forms.context.saveFailure() as? CocoaError)
        #expect(error.code == .validationMissingMandatoryProperty)
        #expect(error.validationObject as? Form === second)
        first.inValidation = { second.setValue("by the first", forKey: "name") }
        second.willSaves = 0
        try forms.context.save()
        #expect(second.willSaves == 1)
        #expect(!forms.context.hasChanges)
        forms.context.refresh(second, mergeChanges: false)
        #expect(second.value(forKey: "name") as? String == "by the first")
    }

    /// Proves: M16
    @Test("validation that never comes to rest is an error", arguments: StoreKind.all)
    func restless(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.complete("x")
        form.breeds = true
        let error = try #require(forms.context.saveFailure())
        #expect(error.code == NSPersistentStoreSaveError)
        forms.context.rollback()
        #expect(!forms.context.hasChanges)
    }

    /// Proves: M16
    @Test("each object is validated once, by its kind of change", arguments: StoreKind.all)
    func steps(store: StoreKind) throws {
        let forms = try Forms(store)
        let (kept, gone) = (forms.complete("kept"), forms.complete("gone"))
        try forms.context.save()
        #expect([kept.steps, gone.steps] == [["insert"], ["insert"]])
        kept.setValue("changed", forKey: "name")
        forms.context.delete(gone)
        let discarded = forms.complete("discarded")
        forms.context.delete(discarded)
        try forms.context.save()
        #expect([kept.steps, gone.steps, discarded.steps] == [["insert", "update"], ["insert", "delete"], []])
        kept.setValue("noted", forKey: "note")
        try forms.context.save()
        #expect(kept.steps == ["insert", "update"])
    }

    /// Proves: M16
    @Test("an object that changes itself in each validation is validated once", arguments: StoreKind.all)
    func restlessAlone(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.complete("x")
        form.inValidation = { form.setValue("\(form.steps.count)", forKey: "name") }
        try forms.context.save()
        #expect(form.steps == ["insert"])
        #expect(form.value(forKey: "name") as? String == "1")
        #expect(!forms.context.hasChanges)
    }

    /// Proves: M16
    @Test("the methods that validate an object may be called at any time", arguments: StoreKind.all)
    func direct(store: StoreKind) throws {
        let forms = try Forms(store)
        let form = forms.make()
        var code: Int?
        do { try form.validateForInsert() } catch { code = (error as NSError).code }
        #expect(code == NSValidationMultipleErrorsError)
        form.setValue("name", forKey: "name")
        form.setValue(form, forKey: "owner")
        try form.validateForInsert()
        try form.validateForUpdate()
        try form.validateForDelete()
        #expect(form.isInserted)
    }

    /// Proves: M10, F98
    @Test("a failed validation changes nothing but the values that it replaced", arguments: StoreKind.all)
    func untouched(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, doomed) = (shop.book("Dune", by: shop.author("Frank")), shop.book("doomed"))
        try shop.context.save()
        let tag = shop.tag("sf")
        book.tags = [tag]
        book.author = nil
        book.title = nil
        shop.context.delete(doomed)
        let registered = shop.context.registeredObjects
        let changes = book.changedValues()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        for _ in 0..<2 {
            #expect(shop.context.saveFailure()?.code == NSValidationMissingMandatoryPropertyError)
            #expect(log.count == 0)
            #expect(shop.context.insertedObjects == [tag])
            #expect(shop.context.deletedObjects == [doomed])
            #expect(shop.context.updatedObjects.contains(book))
            #expect(Set(book.changedValues().keys) == Set(changes.keys))
            #expect(shop.context.registeredObjects == registered)
            #expect(tag.objectID.isTemporaryID)
        }
        let other = shop.stack.newContext()
        #expect(try shop.titles(Book.request(), in: other).sorted() == ["Dune", "doomed"])
        book.title = "Dune Messiah"
        try shop.context.save()
        #expect(log.count == 1)
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Dune Messiah"])
    }
}

/// A name and an owner are mandatory.
private struct Forms {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }

    init(_ store: StoreKind) throws {
        let entity = NSEntityDescription("Form", class: Form.self)
        entity.attribute("name", .stringAttributeType, optional: false)
        entity.attribute("note", .stringAttributeType, transient: true)
        entity.relate("owner", .requiredOne, to: entity, inverse: "owned", .many)
        stack = try Stack(store, NSManagedObjectModel(entity))
    }

    func make() -> Form { Form(context: context) }

    func make(named name: String, ownedBy owner: Form) -> Form {
        let form = make()
        form.setValue(name, forKey: "name")
        form.setValue(owner, forKey: "owner")
        return form
    }

    /// A valid object.
    func complete(_ name: String) -> Form {
        let form = make()
        form.setValue(name, forKey: "name")
        form.setValue(form, forKey: "owner")
        return form
    }
}

private enum FormError: Error, Equatable {
    case refused(reason: String)
}

private final class Form: NSManagedObject {
    var refusedName: String?
    var ownError: (any Error)?
    var trims = false
    var replacement: Any?
    var breeds = false
    var inValidation: (() -> Void)?
    var willSaves = 0
    var steps: [String] = []

    override func willSave() {
        super.willSave()
        willSaves += 1
    }

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
        guard key == "name", let name = value as? String else { return }
        if name == refusedName { throw NSError(domain: "Form", code: 42, userInfo: ["hint": "another one"]) }
        if trims { value = name.trimmingCharacters(in: .whitespaces) }
        if let replacement { value = replacement }
        inValidation?()
        guard breeds, let context = managedObjectContext else { return }
        breeds = false
        let child = Form(context: context)
        child.breeds = true
        child.setValue("child", forKey: "name")
        child.setValue(self, forKey: "owner")
    }

    override func validateForInsert() throws {
        steps.append("insert")
        var errors: [any Error] = ownError.map { [$0] } ?? []
        do { try super.validateForInsert() } catch { errors.append(error) }
        guard let first = errors.first else { return }
        guard errors.count > 1 else { throw first }
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [NSDetailedErrorsKey: errors.map { $0 as NSError }])
    }
    override func validateForUpdate() throws {
        steps.append("update")
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        steps.append("delete")
        try super.validateForDelete()
    }
}
