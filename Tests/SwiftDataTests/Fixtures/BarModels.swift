// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The classes of a store with composites and enumerations that SwiftData wrote, as its cached model shows them.

import Foundation
import SwiftData

enum Bar {
    @Model
    final class Cocktail {
        #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])
        var id = UUID()
        @Attribute(.unique) var cocktailName: String
        var collectionName: String
        var glasswareType: Glassware
        var ice: Ice?
        var author: Inventor?
        @Relationship(deleteRule: .cascade) var spec: [Ingredient]
        @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
        var buildOrder: Build?
        var notes: String?
        var compiledTags = Tags()
        var variation: Variation?
        var variationName: String?
        var collection: Collection?
        var titleCocktail: Bool?
        var historicSpec: Historic?
        var favorite: Bool
        var isCustomCocktail: Bool

        init(name: String, glass: Glassware, spec: [Ingredient] = [], garnish: [Garnish] = []) {
            cocktailName = name
            collectionName = "tests"
            glasswareType = glass
            self.spec = spec
            self.garnish = garnish
            favorite = false
            isCustomCocktail = true
        }
    }

    @Model
    final class Garnish {
        @Attribute(.unique) var name: String
        var cocktails: [Cocktail]?

        init(name: String) { self.name = name }
    }

    @Model
    final class Ingredient {
        var id: UUID
        var ingredientBase: IngredientBase
        var value: Double
        var unit: Unit

        init(_ base: IngredientBase, _ value: Double, _ unit: Unit) {
            id = UUID()
            ingredientBase = base
            self.value = value
            self.unit = unit
        }
    }

    @Model
    final class IngredientBase {
        var id: UUID
        @Attribute(.unique) var name: String
        var info: String?
        var isCustom = false
        var umbrellaCategory: String
        var specialtyCategory: String
        var baseCategory: String
        var tags: Tags?
        var prep: Prep?

        init(name: String) {
            id = UUID()
            self.name = name
            umbrellaCategory = ""
            specialtyCategory = ""
            baseCategory = ""
        }
    }

    // MARK: Values

    struct Inventor: Codable, Equatable {
        var id = UUID()
        var person: String?
        var place: String?
        var year: String?
    }

    struct Step: Codable, Equatable {
        var id = UUID()
        var step: Int
        var method: String
    }

    struct Build: Codable, Equatable { var instructions: [Step] }

    struct Prep: Codable, Equatable {
        var id = UUID()
        var prepIngredientName: String
        var prepRecipe: [Step]
    }

    struct Tags: Codable, Equatable {
        var flavors: [String]?
        var profiles: [String]?
        var styles: [String]?
        var booze: [Bottle]?
        var nA: [Bottle]?
    }

    struct Bottle: Codable, Equatable {
        var name: String
        /// The case has the kind's name, and a payload without label: `{"gins": {"_0": "Gin"}}`.
        var ingredientType: [String: [String: String]]
    }

    /// Some of the values of the file.
    enum Glassware: String, Codable, CaseIterable {
        case coupe = "Coupe"
        case martini = "Martini"
        case collins = "Collins"
        case flute = "Flute"
    }

    enum Ice: String, Codable {
        case cube = "Large cube"
        case pebble = "Pebble ice"
        case cracked = "Cracked Kold Draft"
        case column = "Column ice"
        case draft = "Kold Draft ice"
    }

    enum Unit: String, Codable, CaseIterable { case oz, drop, pinch, tsp, dash, muddled }

    enum Variation: String, Codable { case mojito = "Mojito", zombie = "Zombie" }

    enum Collection: Int, Codable { case first = 1, second, third, fourth, sixth = 6 }

    enum Historic: Codable {
        case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo
        case fogCutter, ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
    }
}
