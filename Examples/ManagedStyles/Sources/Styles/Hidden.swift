// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Access levels, extensions, conditions and unusual names, which are difficult cases for the source scanner.

import CoreData

/* @NSManaged var no: Int /* nested */ @NSManaged var notEither: Int */
class Hidden: NSManagedObject {
    let trap = "class Fake: NSManagedObject { @NSManaged var x: Int \("}".count) }"
    @NSManaged private var secret: String?
    @NSManaged fileprivate var half: Int64
    @NSManaged private(set) var shown: Int
    @NSManaged var `in`: String?
    @NSManaged var größe: Double
    #if DEBUG
        @NSManaged var debugged: String?
    #else
        var debugged: String? {
            get { value(forKey: "debugged") as? String }
            set { setValue(newValue, forKey: "debugged") }
        }
    #endif
    @NSManaged var primitiveLabel: String?
    var label: String? {
        get {
            willAccessValue(forKey: "label")
            defer { didAccessValue(forKey: "label") }
            return primitiveLabel
        }
        set {
            willChangeValue(forKey: "label")
            primitiveLabel = newValue
            didChangeValue(forKey: "label")
        }
    }

    func hide(_ text: String) {
        secret = text
        shown = text.count
        half += 21
        half *= 2
    }
    var found: String { "\(secret ?? "") \(half)" }
}

extension Hidden {
    @NSManaged var later: String?
}
