// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample with objects that record their calls.

public import CoreData
import Foundation

/// An entry has a text, the time of its last save and a transient mood; entries may quote others.
public enum DiaryModel {
    public static func make() -> NSManagedObjectModel {
        let entry = NSEntityDescription("Entry", class: Entry.self)
        entry.attribute("text", .stringAttributeType, default: "untitled")
        entry.attribute("stamp", .integer64AttributeType)
        entry.attribute("mood", .stringAttributeType, transient: true)
        entry.relate("quotes", .many, to: entry, inverse: "quotedBy", .many)
        return NSManagedObjectModel(entry)
    }
}

/// Records the life-cycle calls, and runs a closure in those in which a test has work to do.
public final class Entry: NSManagedObject {
    public var calls: [String] = []
    /// The events that `awake(fromSnapshotEvents:)` was called with.
    public var snapshotEvents: [NSSnapshotEventType] = []
    public var inWillSave: ((Entry) -> Void)?
    public var inDidSave: ((Entry) -> Void)?
    public var inPrepareForDeletion: ((Entry) -> Void)?
    /// The text as it was in `awakeFromInsert`.
    public var textAtInsertion: String?

    public var text: String? {
        get { value(forKey: "text") as? String }
        set { setValue(newValue, forKey: "text") }
    }
    public var stamp: Int? {
        get { value(forKey: "stamp") as? Int }
        set { setValue(newValue, forKey: "stamp") }
    }
    public var mood: String? {
        get { value(forKey: "mood") as? String }
        set { setValue(newValue, forKey: "mood") }
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
        textAtInsertion = text
    }
    public override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch")
    }
    public override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        calls.append("awakeFromSnapshotEvents")
        snapshotEvents.append(flags)
    }
    public override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append("prepareForDeletion")
        inPrepareForDeletion?(self)
    }
    public override func willSave() {
        super.willSave()
        calls.append("willSave")
        inWillSave?(self)
    }
    public override func didSave() {
        super.didSave()
        calls.append("didSave")
        inDidSave?(self)
    }
    public override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
    }
    public override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }

    /// The calls since the last time, or since the beginning.
    public func newCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    public class func request() -> NSFetchRequest<Entry> { NSFetchRequest<Entry>(entityName: "Entry") }
}

/// A stack with the diary's model.
public final class Diary {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }

    public init(in kind: StoreKind) throws { stack = try Stack(kind, DiaryModel.make()) }

    public func entry(_ text: String) -> Entry {
        let entry = Entry(context: context)
        entry.text = text
        return entry
    }
}
