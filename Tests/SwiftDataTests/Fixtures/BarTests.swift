// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store with composites, enumerations, indexes and unique values that SwiftData wrote on a Mac.

import CoreData
import FixtureFiles
import Foundation
import SQLiteDriver
import SwiftData
import Testing

@Suite("A store of 2025 that SwiftData wrote", .disabled(if: FixtureFolder.isMissing, FixtureFolder.reason))
struct BarTests {
    private static let classes: [any PersistentModel.Type] = [
        Bar.Cocktail.self, Bar.Garnish.self, Bar.Ingredient.self, Bar.IngredientBase.self,
    ]

    private func copy() throws -> URL {
        try FixtureStore.copy("MatthewHunt84_MetaCocktailsSwiftData__PreloadedCocktails.store")
    }

    private func open(_ file: URL) throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Schema(Self.classes), configurations: ModelConfiguration(url: file)))
    }

    /// Proves: S107, S109, S111, S112, S113, S114, S118, S119, S121
    @Test("The schema of its classes has its version hashes")
    func hashes() throws {
        let file = try copy()
        defer { Stack.remove(file) }
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: Self.classes))
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: file)
        let stored = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        #expect(model.entityVersionHashesByName == stored)
        #expect(metadata[NSStoreModelVersionIdentifiersKey] as? [String] == ["1.0.0"])
    }

    /// Proves: S107, S108, S119, S121
    @Test("A new file has its tables, columns, indexes and metadata keys")
    func sameFile() throws {
        let (old, new) = (try copy(), Stack.file())
        defer {
            Stack.remove(old)
            Stack.remove(new)
        }
        let context = try open(new)
        let base = Bar.IngredientBase(name: "Gin")
        context.insert(Bar.Cocktail(name: "Gin", glass: .coupe, spec: [Bar.Ingredient(base, 2, .oz)]))
        try context.save()
        #expect(try Self.outline(new) == Self.outline(old))
    }

    /// Tables with their columns, indexes, and the keys of the metadata.
    private static func outline(_ file: URL) throws -> [String] {
        let connection = try Connection(url: file, options: .init(access: .readOnly))
        let texts = try connection.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        try connection.close()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: file)
        return texts.map { "\($0)" }.sorted() + metadata.keys.sorted()
    }

    /// Proves: S104, S111, S112, S113, S114
    @Test("Composites, enumerations and arrays in them are read")
    func values() throws {
        let file = try copy()
        defer { Stack.remove(file) }
        let context = try open(file)
        #expect(try context.fetchCount(FetchDescriptor<Bar.Cocktail>()) == 416)
        #expect(try context.fetchCount(FetchDescriptor<Bar.Ingredient>()) == 1893)
        let flight = try #require(
            try context.fetch(
                FetchDescriptor<Bar.Cocktail>(
                    predicate: #Predicate { $0.cocktailName == "A Flight South of the Border" })
            ).first)
        #expect(flight.ice == .cube && flight.collection == .second && flight.garnish.count == 1)
        #expect(!flight.spec.isEmpty && !flight.spec.contains { $0.ingredientBase.name.isEmpty })
        let historic = try context.fetch(
            FetchDescriptor<Bar.Cocktail>(predicate: #Predicate { $0.collectionName != "" }))
        #expect(historic.contains { $0.historicSpec == .ginFizz })
        #expect(historic.contains { $0.compiledTags.booze?.contains { $0.name == "Gin" } == true })
        let prepared = try context.fetch(FetchDescriptor<Bar.IngredientBase>()).compactMap(\.prep)
        #expect(prepared.contains { $0.prepIngredientName == "Rich cinnamon and vanilla syrup" })
        #expect(!prepared.contains { $0.prepRecipe.isEmpty })
        let authors = try context.fetch(
            FetchDescriptor<Bar.Cocktail>(predicate: #Predicate { $0.author?.person == "Sam Ross" }))
        #expect(authors.contains { $0.author?.year == "Early 2000s" })
    }

    /// Proves: S104, S60
    @Test("A new record with a unique value of the file updates its record")
    func upsert() throws {
        let file = try copy()
        defer { Stack.remove(file) }
        let context = try open(file)
        context.insert(Bar.Cocktail(name: "Air Mail", glass: .flute))
        try context.save()
        let other = try open(file)
        #expect(try other.fetchCount(FetchDescriptor<Bar.Cocktail>()) == 416)
        let found = try #require(
            try other.fetch(FetchDescriptor<Bar.Cocktail>(predicate: #Predicate { $0.cocktailName == "Air Mail" }))
                .first)
        #expect(found.glasswareType == .flute && found.collection == nil && found.collectionName == "tests")
    }
}
