// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of the doctor: ids, severities, effects in an app, and repairs. Documentation/Doctor.md lists them.

/// A rule that a sound store keeps.
package struct DoctorRule: Sendable, Equatable {
    package let id: String
    package let severity: Finding.Severity
    /// A sentence about the effect of a breach in an app.
    package let consequence: String
    /// The repair of `--fix`; nil for a rule that the doctor cannot repair.
    package let repair: String?

    private init(_ id: String, _ severity: Finding.Severity, _ consequence: String, _ repair: String? = nil) {
        self.id = id
        self.severity = severity
        self.consequence = consequence
        self.repair = repair
    }

    /// nil for an unknown id.
    package static func named(_ id: String) -> DoctorRule? { byID[id] }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// All rules, in the order in which they are checked.
    package static let all =
        file + catalogue + structure + rows + links + values + derived + search + paths + largeData + history + cloud
        + space

    /// The rules whose repairs rest on no guess about a model, so that they apply to a store that keeps none.
    static let needingNoModel: Set<String> = [
        "index.damage", "metadata.rows", "metadata.uuid", "metadata.digest", "key.low", "key.subentity", "row.version",
        "link.end", "history.change", "history.entity", "history.string", "large.orphan", "search.trigger",
        "search.entry", "space.free", "space.log", "cloud.entity", "cloud.orphan", "cloud.doubled", "cloud.reference",
        "cloud.key",
    ]

    /// The key of an overlay for the part of a property that the repair rests on, by rule.
    static let needingStatement = [
        "reference.dangling": "destination", "reference.foreign": "destination", "reference.entity": "destination",
        "inverse.oneSided": "inverse", "inverse.contested": "inverse", "value.boolean": "type",
    ]

    private static let file = [
        DoctorRule(
            "file.damage", .error,
            "Fetches and saves that meet the damaged pages fail, and rows on them are lost. `recover` reads the rest."),
        DoctorRule(
            "index.damage", .error, "Fetches that use the index leave objects out or find deleted ones.",
            "Builds all indexes anew."),
    ]

    private static let catalogue = [
        DoctorRule(
            "metadata.missing", .error, "The store cannot be opened.",
            "Writes the metadata of the model that the store keeps, with a new identifier."),
        DoctorRule(
            "metadata.unreadable", .error, "The store cannot be opened.",
            "Writes the metadata of the model that the store keeps."),
        DoctorRule(
            "metadata.rows", .warning,
            "Two frameworks may read different rows, and take different versions for the store's.",
            "Removes all rows but the first."),
        DoctorRule(
            "metadata.uuid", .error, "URIs of objects have no store to lead to, and history tokens fit no store.",
            "Gives the store a new identifier."),
        DoctorRule(
            "metadata.hashes", .error, "The store is taken for one of another version: opening fails, or migrates it.",
            "Writes the version hashes of the model that the store keeps."),
        DoctorRule(
            "metadata.digest", .warning, "Newer frameworks may take the store for one of another version.",
            "Computes digest and checksum from the version hashes."),
        DoctorRule(
            "model.missing", .note, "A migration needs the old version of the model from the app's bundle.",
            "Keeps a copy of the model given with --model."),
        DoctorRule(
            "model.unreadable", .warning, "A migration needs the old version of the model from the app's bundle.",
            "Keeps a copy of the model given with --model."),
        DoctorRule(
            "model.differs", .warning, "A migration from the copy in the store may lose or misplace values.",
            "Keeps a copy of the model given with --model, if its version hashes are the store's."),
        DoctorRule(
            "entity.missing", .error, "The store cannot be opened.", "Adds the entity with its number to Z_PRIMARYKEY."),
        DoctorRule(
            "entity.unknown", .warning, "Objects of the entity cannot be reached; a migration may fail.",
            "Removes the entity from Z_PRIMARYKEY, if no row has its number."),
        DoctorRule(
            "entity.super", .warning, "Tools that read the hierarchy from the tables show wrong superentities.",
            "Writes the number of the superentity."),
        DoctorRule(
            "key.low", .error, "The next insertion gets the key of an object that is there, and the save fails.",
            "Raises Z_MAX to the highest key of the table."),
        DoctorRule(
            "key.subentity", .note, "None: frameworks read the value of the root entity alone.",
            "Sets Z_MAX of the subentity to 0."),
    ]

    private static let structure = [
        DoctorRule("table.missing", .error, "The store cannot be opened.", "Makes an empty table."),
        DoctorRule(
            "table.leftover", .note, "The rows take room; no entity has them.", "Removes the table with its rows."),
        DoctorRule(
            "column.missing", .error, "The store cannot be opened.", "Adds an empty column."),
        DoctorRule("column.type", .note, "Values may be converted when they are written."),
        DoctorRule("column.leftover", .note, "The values take room; no property has them.", "Removes the column."),
        DoctorRule(
            "index.missing", .warning, "Fetches and relationships over the column read the whole table.",
            "Makes the index."),
        DoctorRule(
            "index.changed", .note, "Fetches that expect the index of the model may be slow.", "Makes the index anew."),
        DoctorRule(
            "index.leftover", .note,
            "Each save writes the index of a program; neither the model nor the framework asks for it.",
            "Removes the index."),
        DoctorRule("index.redundant", .note, "Each save writes an index whose work another one does as well."),
        DoctorRule(
            "trigger.missing", .error, "Derived attributes, or the spatial index, keep old values.",
            "Makes the trigger."),
        DoctorRule(
            "trigger.changed", .warning, "Derived attributes may get values that the model does not mean.",
            "Makes the trigger anew."),
        DoctorRule(
            "trigger.leftover", .warning, "The trigger changes rows behind the framework's back, or makes saves fail.",
            "Removes the trigger."),
        DoctorRule("store.refused", .error, "The framework does not open the store."),
    ]

    private static let rows = [
        DoctorRule(
            "row.entity", .error, "No fetch finds the row, and relationships to it lead nowhere.",
            "Gives the row the entity of the table, where that is the only one."),
        DoctorRule("row.abstract", .error, "No fetch finds the row: an abstract entity has no objects."),
        DoctorRule("row.key", .error, "The row is no object: keys are positive."),
        DoctorRule(
            "row.version", .warning, "The first save of the object fails with a conflict, or overwrites one.",
            "Sets the version to 1."),
    ]

    private static let links = [
        DoctorRule(
            "reference.dangling", .error, "The relationship leads to an object that is not there; reading it fails.",
            "Empties the relationship."),
        DoctorRule(
            "reference.foreign", .error, "The relationship leads to an object of an entity that it cannot hold.",
            "Empties the relationship."),
        DoctorRule(
            "reference.entity", .error, "The object is taken for one of another entity when the relationship is read.",
            "Writes the entity of the object that the relationship leads to."),
        DoctorRule(
            "inverse.oneSided", .warning,
            "The two ends of the relationship disagree: it depends on the end that is read.",
            "Sets the empty end; an end that contradicts the other is emptied."),
        DoctorRule(
            "inverse.contested", .error, "Several objects claim one object in a one-to-one relationship.",
            "Keeps the object that the other end names, or else the first one, and empties the others."),
        DoctorRule(
            "link.end", .error, "The link is a member that is nobody; counts and fetches differ.", "Removes the link."),
        DoctorRule(
            "link.dangling", .error, "The relationship has a member that is not there.", "Removes the link."),
        DoctorRule(
            "link.mirror", .warning, "The relationship is there in one direction alone.", "Adds the other direction."),
        DoctorRule(
            "order.missing", .warning, "Members stand at an arbitrary place, which may change.",
            "Numbers the members of the owners anew, in their order."),
        DoctorRule(
            "order.doubled", .warning, "Members with equal places stand in an arbitrary order, which may change.",
            "Numbers the members of the owners anew, in their order."),
    ]

    private static let values = [
        DoctorRule(
            "value.type", .error, "The value reads as another one, or as none.",
            "Converts numbers that are stored as text; other values stay."),
        DoctorRule("value.boolean", .warning, "Predicates that compare with YES do not find the object.", "Sets 1."),
        DoctorRule("value.uuid", .error, "The value reads as nil."),
        DoctorRule(
            "value.text", .error, "The text is no UTF-8: it reads with replacement characters, and is not found."),
        DoctorRule("value.archive", .error, "The value cannot be decoded and reads as nil."),
        DoctorRule(
            "value.missing", .error, "The object cannot be saved, and Swift properties that are not optional trap.",
            "Sets the default of the model, where it has one."),
        DoctorRule("value.rule", .error, "The object cannot be saved: it breaks a validation rule of the model."),
        DoctorRule("value.range", .error, "The object cannot be saved: the number does not fit the type."),
        DoctorRule("value.count", .error, "The object cannot be saved: it has too few or too many members."),
        DoctorRule("unique.doubled", .error, "Saves of the objects fail, and a fetch by the value finds several."),
    ]

    private static let derived = [
        DoctorRule(
            "derived.value", .error, "The attribute reads as another value than its expression gives.",
            "Computes the values anew."),
        DoctorRule(
            "spatial.missing", .error, "Saves of the entity fail: its triggers write to an index that is not there.",
            "Makes the index, with an entry for each row."),
        DoctorRule(
            "spatial.entry", .error, "Fetches that use the spatial index leave objects out or find wrong ones.",
            "Fills the index anew from the rows."),
    ]

    private static let search = [
        DoctorRule(
            "search.trigger", .warning, "Searches read all rows: they do not use the index.", "Makes the index anew."),
        DoctorRule(
            "search.entry", .error, "Searches leave objects out, find wrong ones, or fail; so may saves.",
            "Fills the index anew from the rows."),
    ]

    private static let paths = [
        DoctorRule(
            "paths.trigger", .warning, "Conditions on paths into values read all rows: they do not use the index.",
            "Makes the index anew."),
        DoctorRule(
            "paths.entry", .error, "Conditions on paths into values leave objects out.",
            "Makes the index anew; the next opening reads the rows."),
    ]

    private static let largeData = [
        DoctorRule(
            "large.missing", .error, "The value reads as nil, and the next save of the object fails.",
            "Sets the value to nil."),
        DoctorRule("large.outside", .error, "The value names a file outside of the store's folder, and is not read."),
        DoctorRule(
            "large.shared", .error, "When one object gives the file up, the others lose their value.",
            "Copies the file for each object."),
        DoctorRule(
            "large.mark", .warning, "Apple's framework cannot read the value.", "Marks the value as data in the row."),
        DoctorRule("large.empty", .warning, "The value is empty: the file was cut."),
        DoctorRule(
            "large.orphan", .warning, "The file takes room; no object has it.", "Moves the files out of the folder."),
    ]

    private static let history = [
        DoctorRule(
            "history.change", .warning, "Readers of the history fail or leave the change out.", "Removes the changes."),
        DoctorRule(
            "history.entity", .warning, "Readers of the history fail or leave the change out.", "Removes the changes."),
        DoctorRule(
            "history.string", .note, "The author or context of transactions reads as nil.", "Empties the reference."),
        DoctorRule("history.size", .note, "The history takes much of the file. `history purge` removes its beginning."),
    ]

    private static let cloud = [
        DoctorRule(
            "cloud.entity", .error,
            "The mirror sends the values of another object to the record, or removes the record.",
            "Gives the record its entity, where the mirror has the name; removes rows with the number of no entity."),
        DoctorRule(
            "cloud.orphan", .warning, "The record stays in the cloud although its object is gone.",
            "Removes the row; the record stays in the cloud."),
        DoctorRule(
            "cloud.doubled", .error, "The mirror's next export or import fails.",
            "Keeps the first of several equal rows."),
        DoctorRule(
            "cloud.reference", .warning, "The mirror cannot place the row.",
            "Removes rows that belong to no record."),
        DoctorRule(
            "cloud.key", .error, "The mirror's next row gets a key that is there, and its export or import fails.",
            "Raises Z_MAX to the highest key of the table."),
    ]

    private static let space = [
        DoctorRule("space.free", .note, "The file is larger than its contents.", "Gives the free pages back."),
        DoctorRule("space.log", .note, "Opening and reading take longer.", "Moves the log into the database."),
        DoctorRule("space.journal", .note, "Readers wait for writers: the database is not in WAL mode."),
    ]
}
