// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Overview of this module's interface.

// # Model files as values
// This module uses no `NSManagedObject`, instantiates no objects named in a file, and reads only the given file.
//
// ## Loading
// - `ModelBundle.load(contentsOf:version:)`: a document from an `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`,
//   or a single file with any name. `ModelBundle(contentsOf:)` lists the versions, the current one, and the
//   contents of `VersionInfo.plist`.
// - `ModelDocument(modelFile:)`: a document from the bytes of any of these formats, which are recognized
//   by their start.
// - `ModelXMLReader.read(_:)`, `EditorArchiveReader.read(_:)`, `KeyedModelReader.read(_:)`: from the bytes
//   of one format.
// - `KeyedModelReader.read(modelCache:)`: from the content of a store's `Z_MODELCACHE`.
//
// ## Writing
// - `KeyedModelWriter.data(for:layout:)`: a `.mom`. `KeyedModelWriter.modelCache(for:)`: the content of `Z_MODELCACHE`.
// - `VersionInfo(data:)`, `VersionInfo.data()`; `RawDeflate` for bare deflate streams.
// - `ModelXMLWriter.write(_:)`: the `contents` of an `.xcdatamodel`, with a list of omitted parts.
//
// ## Queries
// - `ModelDocument.entityHashes()`: version hashes. `ModelHierarchy`: superentities and inverses. `ModelNames`:
//   validation of names. `ModelSourceLines`: line numbers in a source.
//
// ## Contents of a document
// A source and its compiled model result in the same document, except for parts that only one of them has. Only a
// source has switches for code generators (`sourceLanguage`, `codeGeneration`, `usesScalarValueType`, `compositeName`,
// `composites`), `isSyncable` and limits as text (`minimum`, `maximum`, `regularExpression`; both contain the
// predicates made from them).
// - Predicates and expressions are text: the text in a source, or Apple's spelling for a compiled model.
// - `renamingIdentifier` is nil if the file repeats the name; empty version identifiers are omitted.
// - Index flags from before 2017 become fetch indexes. Entities have only their own properties, also from caches.
// - A model cache has the index list and class names of the program that wrote it (".Bot" became "Program.Bot").
// - Class names are those of the file: "Person", ".Person" (the program's own module), "Module.Person", nil for none.
//
// ## Errors
// Every failure is a `ModelFileError` with a kind, a sentence, and the file if known. Damaged files never trap.
