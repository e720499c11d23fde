// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The findings in stores that Apple's framework wrote, with the reason that each is a fact and no fault.

/// Findings that the doctor may report for the fixtures. Documentation/Doctor.md has the same list for readers.
struct AppleStoreFact: Sendable {
    let rule: String
    let reason: String
    /// How many findings each store has.
    let stores: [String: Int]

    static let all = [
        AppleStoreFact(
            rule: "model.missing", reason: "Frameworks before 2015 kept no copy of the model.",
            stores: once(old + withoutModel)),
        AppleStoreFact(
            rule: "space.journal", reason: "Frameworks before 2013 did not use WAL mode.", stores: once(old)),
        AppleStoreFact(
            rule: "index.leftover", reason: "The program made these indexes by SQL, not the framework.",
            stores: ["RhetTbull_photoscript__Photos.sqlite": 3]),
        AppleStoreFact(
            rule: "index.redundant", reason: "The model asks for the index, and for another one that begins with it.",
            stores: [
                "MatthewHunt84_MetaCocktailsSwiftData__PreloadedCocktails.store": 1,
                "RhetTbull_photoscript__CLSBusinessCategoryCache.AOI.sqlite": 1,
                "RhetTbull_photoscript__CLSBusinessCategoryCache.AOI~2.sqlite": 1,
                "RhetTbull_photoscript__CLSPublicEventCache.sqlite": 1, "RhetTbull_photoscript__Photos.sqlite": 18,
                "duckduckgo_BrowserServicesKit__Bookmarks_V2.sqlite": 2,
                "duckduckgo_BrowserServicesKit__Bookmarks_V3.sqlite": 1,
                "duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite": 1,
            ]),
    ]

    /// Stores that another program wrote or changed: their rows contradict Z_PRIMARYKEY or a join table.
    static let damaged: [String: [String: Int]] = [
        "apptentive_apptentive-ios__ATDataModel~2.sqlite": ["link.dangling": 1],
        "artsy_energy__ArtsyPartner_1.3.sqlite": ["key.low": 1, "row.entity": 1],
        "artsy_energy__ArtsyPartner_1.4.sqlite": ["key.low": 2, "key.subentity": 2],
    ]

    /// The number of expected findings of a store, by rule.
    static func expected(_ store: String) -> [String: Int] {
        let facts = Dictionary(
            uniqueKeysWithValues: all.compactMap { fact in fact.stores[store].map { (fact.rule, $0) } })
        return facts.merging(damaged[store] ?? [:]) { $0 + $1 }
    }

    private static func once(_ stores: [String]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: stores.map { ($0, 1) })
    }

    private static let withoutModel = [
        "apptentive_apptentive-ios__ATDataModel~2.sqlite", "apptentive_apptentive-ios__ATDataModel~4.sqlite",
        "artsy_energy__ArtsyPartner_1.6.sqlite", "kodecocodes_cdt-materials__SurfJournalModel.sqlite",
    ]

    private static let old = [
        "Lax_Learn-iOS-Swift-by-Examples__CoreDataBooks.CDBStore", "RestKit_RestKit__RKSeedDatabase.sqlite",
        "apptentive_apptentive-ios__ATDataModel.sqlite", "apptentive_apptentive-ios__ATDataModelv1.sqlite",
        "apptentive_apptentive-ios__ATDataModelv2.sqlite", "apptentive_apptentive-ios__ATDataModelv3.sqlite",
        "apptentive_apptentive-ios__ATDataModelv5.sqlite", "artsy_energy__ArtsyPartner_1.3.sqlite",
        "artsy_energy__ArtsyPartner_1.4.sqlite", "bandhavivinay_TavantTrade_iPad__Model.sqlite",
        "fruitsamples_iPhoneCoreDataRecipes__Recipes.sqlite",
    ]
}
