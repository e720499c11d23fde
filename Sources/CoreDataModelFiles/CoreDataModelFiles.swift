// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What this module offers to the others, on one page.

// # Model files as plain values
// Nothing here knows an `NSManagedObject`, creates an object named in a file, or reads outside of the file it was given.
//
// ## Loading
// - `ModelBundle.load(contentsOf:version:)`: a document from an `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`, or a single
//   file with any name. `ModelBundle(contentsOf:)` lists the versions, which one is current, and what `VersionInfo.plist`
//   knows of them.
// - `ModelDocument(modelFile:)`: a document from bytes of any of these forms, told apart by how they begin.
// - `ModelXMLReader.read(_:)`, `EditorArchiveReader.read(_:)`, `KeyedModelReader.read(_:)`: from bytes of one form.
// - `KeyedModelReader.read(modelCache:)`: from the content of a store's `Z_MODELCACHE`.
//
// ## Writing
// - `KeyedModelWriter.data(for:layout:)`: a `.mom`. `KeyedModelWriter.modelCache(for:)`: the content of `Z_MODELCACHE`.
// - `VersionInfo(data:)`, `VersionInfo.data()`; `RawDeflate` for bare deflate streams.
// - `ModelXMLWriter.write(_:)`: the `contents` of an `.xcdatamodel`, with what it cannot say.
//
// ## Asking
// - `ModelDocument.entityHashes()`: version hashes. `ModelHierarchy`: superentities and inverses. `ModelNames`: which names are good.
//   `ModelSourceLines`: where in a source something stands.
//
// ## What a document holds
// The same for a source and for what Apple's compiler makes of it, except what only one of them has: a source has switches
// for code generators (`sourceLanguage`, `codeGeneration`, `usesScalarValueType`, `compositeName`, `composites`), `isSyncable`
// and the limits as text (`minimum`, `maximum`, `regularExpression`; both have the predicates made from them).
// - Predicates and expressions are text. From a source it is the text in the file, from a compiled model Apple's spelling.
// - `renamingIdentifier` is nil where the file repeats the name; version identifiers that are empty are left out.
// - Index marks from before 2017 are fetch indexes. Entities have their own properties only, in caches too.
// - A model cache has the index list and the class names of the program that wrote it (".Bot" has become "Program.Bot").
// - Class names are as in the file: "Person", ".Person" (the program's own module), "Module.Person", nil for none.
//
// ## Errors
// Every failure is a `ModelFileError` with a kind, a sentence, and the file where it is known. Damaged files never trap.
