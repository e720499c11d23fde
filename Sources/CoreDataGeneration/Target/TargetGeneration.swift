// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates all files that the build plug-in creates for one target.

import CoreDataModelFiles
package import Foundation

/// Reads the models and sources of a target, and generates its compiled models, classes and accessors.
///
/// The names of the outputs depend only on the names of models, because SwiftPM must know them in advance. The classes
/// of a model are distributed over `shardCount` files by name, so that a change of one entity recompiles one file.
package struct TargetGeneration {
    package struct Input: Sendable {
        package var module: String
        /// `.xcdatamodeld`, `.xcdatamodel`.
        package var models: [URL]
        /// `.xcmappingmodel`.
        package var mappings: [URL] = []
        package var sources: [URL]
        /// The target's dependencies, the nearest first, with their models and sources.
        package var dependencies: [Dependency]
        package var options = GenerationOptions()

        package struct Dependency: Sendable {
            package var module: String
            package var models: [URL]
            package var sources: [URL]

            package init(module: String, models: [URL], sources: [URL]) {
                self.module = module
                self.models = models
                self.sources = sources
            }
        }

        package init(module: String, models: [URL], sources: [URL], dependencies: [Dependency] = []) {
            self.module = module
            self.models = models
            self.sources = sources
            self.dependencies = dependencies
        }
    }

    package static let shardCount = 8

    /// Source files by name, and the files of each `.momd` by its name.
    package private(set) var sources: [String: String] = [:]
    package private(set) var models: [String: [String: Data]] = [:]
    /// `.cdm` files by name.
    package private(set) var mappings: [String: Data] = [:]
    package private(set) var diagnostics: [Diagnostic] = []

    /// - Throws: `GenerationFailure` for any fault; there is no output then.
    package init(_ input: Input) throws {
        var own = SourceDeclarations()
        for source in input.sources { own.add(Self.scan(source)) }
        var index = SourceIndex()
        index.add(own, module: input.module)
        for dependency in input.dependencies {
            var declarations = SourceDeclarations()
            for source in dependency.sources { declarations.add(Self.scan(source)) }
            index.add(declarations, module: dependency.module)
        }
        let read = input.models.compactMap { url in collect { try ReadModel(url) } }
        let models = read.compactMap { model in collect { try Self.generationModel(model) } }
        let generations = models.map { generate($0, input, index) }
        for (number, generation) in generations.enumerated() {
            for earlier in generations[..<number] { diagnostics += generation.clashes(with: earlier) }
        }
        var generated = SourceDeclarations()
        generated.types = generations.flatMap { $0.signatures.keys }.filter {
            index.classPath($0, module: input.module) == nil
        }
        .map { Self.generatedClass($0) }
        index.add(generated, module: input.module)
        own.add(generated)
        let foreign = input.dependencies.flatMap(\.models).compactMap { try? ReadModel($0).current().document }
        let entities = ClassEntities(models.map(\.document) + foreign)
        writeAccessors(own, index, input, entities)
        let modules = [input.module] + input.dependencies.map(\.module)
        let classNames = Self.classNames(modules, index)
        for model in read { compile(model, classNames) }
        let known = input.models + input.dependencies.flatMap(\.models)
        for url in input.mappings {
            let compiler = MappingCompiler(models: known, classNames: classNames)
            guard let file = collect({ try compiler.compile(url) }) else { continue }
            mappings["\(Self.stem(url.lastPathComponent)).cdm"] = file
        }
        if diagnostics.contains(where: { $0.severity == .error }) { throw GenerationFailure(diagnostics) }
    }

    // MARK: Steps

    private mutating func generate(_ model: GenerationModel, _ input: Input, _ index: SourceIndex) -> ClassGeneration {
        let generation = ClassGeneration(
            model, options: input.options, module: input.module, everything: false, declarations: index)
        diagnostics += generation.diagnostics
        var shards = Array(repeating: "", count: Self.shardCount)
        for (entity, source) in generation.sources.sorted(by: { $0.key < $1.key }) {
            shards[Self.shard(entity)] += source + "\n"
        }
        let stem = Self.stem(model.name)
        for (number, shard) in shards.enumerated() {
            sources[Self.shardName(stem, number)] =
                ClassGeneration.header(
                    model.name, isPublic: !shard.isEmpty && input.options.access == .public) + shard
        }
        return generation
    }

    private mutating func writeAccessors(
        _ own: SourceDeclarations, _ index: SourceIndex, _ input: Input, _ entities: ClassEntities
    ) {
        let accessors = ManagedAccessors.source(own, index, module: input.module, entities: entities)
        diagnostics += accessors.diagnostics
        sources[Self.accessorFile] = accessors.text
        sources[Self.listFile] = ClassList.source(own, entities)
    }

    /// Looks a class up in the target, then in its dependencies.
    private static func classNames(_ modules: [String], _ index: SourceIndex) -> @Sendable (String) -> String {
        { name in
            let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
            for module in modules {
                if let path = index.classPath(bare, module: module) { return "\(module).\(path)" }
            }
            return name
        }
    }

    private mutating func compile(_ model: ReadModel, _ classNames: @escaping @Sendable (String) -> String) {
        let compiler = ModelCompiler(classNames: classNames)
        guard let (files, warnings) = collect({ try compiler.compile(model) }) else { return }
        models["\(Self.stem(model.url.lastPathComponent)).momd"] = files
        diagnostics += warnings
    }

    private mutating func collect<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch let failure as GenerationFailure {
            // The same model is read for classes and for compiling; each fault is reported once.
            diagnostics += failure.diagnostics.filter { !diagnostics.contains($0) }
        } catch {
            diagnostics.append(Diagnostic(.error, "coredata-modelc", (error as NSError).localizedDescription))
        }
        return nil
    }

    // MARK: Names

    package static let accessorFile = "ManagedAccessors.swift"
    package static let listFile = "ClassList.swift"

    package static func shardName(_ stem: String, _ number: Int) -> String { "\(stem)-Classes-\(number).swift" }

    private static func stem(_ name: String) -> String { (name as NSString).deletingPathExtension }

    /// FNV-1a, which is the same in every run.
    private static func shard(_ entity: String) -> Int {
        let hash = entity.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Int(hash % UInt32(shardCount))
    }

    // MARK: Reading

    private static func generationModel(_ model: ReadModel) throws -> GenerationModel {
        let (document, file, lines) = try model.current()
        return GenerationModel(name: model.url.lastPathComponent, document: document, file: file, lines: lines)
    }

    /// The compiler reports unreadable sources.
    private static func scan(_ url: URL) -> SourceDeclarations {
        guard let data = try? Data(contentsOf: url) else { return SourceDeclarations() }
        return DeclarationScanner.scan([UInt8](data), file: url.path)
    }

    private static func generatedClass(_ name: String) -> DeclaredType {
        DeclaredType(
            kind: .class, path: name, access: .public, isGeneric: false, inherited: [], conditions: [], file: "",
            line: 0)
    }
}

extension SourceDeclarations {
    mutating func add(_ other: SourceDeclarations) {
        types += other.types
        aliases += other.aliases
        properties += other.properties
        methods += other.methods
        unreachable += other.unreachable
        conformances.merge(other.conformances) { $0.union($1) }
    }
}
