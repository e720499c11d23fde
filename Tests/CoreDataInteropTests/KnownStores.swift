// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the contents of each store that Apple's framework wrote: entities, rows of each, and values of some rows.

/// Facts about one store, read with plain SQL.
struct KnownStore: Sendable, CustomStringConvertible {
    var name: String
    /// The number of entities in `Z_PRIMARYKEY`, without those of persistent history.
    var entities: Int
    /// The number of rows of each entity that has some, without those of its subentities.
    var rows: [String: Int]
    /// Values by "entity/key.property".
    var values: [String: String]

    var description: String { name }

    static let all = [
        KnownStore(
            name: "Lax_Learn-iOS-Swift-by-Examples__CoreDataBooks.CDBStore", entities: 1,
            rows: ["Book": 11],
            values: ["Book/1.title": "Strata", "Book/1.author": "Terry Pratchett"]),
        KnownStore(
            name: "MatthewHunt84_MetaCocktailsSwiftData__PreloadedCocktails.store", entities: 4,
            rows: ["Cocktail": 416, "Garnish": 78, "Ingredient": 1893, "IngredientBase": 396],
            values: [
                "Garnish/1.name": "Skewered rose petals", "IngredientBase/1.name": "Pimento Bitters",
                "Ingredient/1.value": "0.5",
            ]),
        KnownStore(
            name: "RestKit_RestKit__RKSeedDatabase.sqlite", entities: 2,
            rows: ["Tweet": 20, "User": 2],
            values: ["User/7.name": "RestKit", "User/7.screenName": "RestKit"]),
        KnownStore(
            name: "RhetTbull_photoscript__CLSBusinessCategoryCache.AOI.sqlite", entities: 2,
            rows: [:],
            values: [:]),
        KnownStore(
            name: "RhetTbull_photoscript__CLSBusinessCategoryCache.AOI~2.sqlite", entities: 2,
            rows: ["BusinessItem": 14, "Entry": 4],
            values: ["Entry/1.radius": "6000.0", "BusinessItem/1.radius": "50.0"]),
        KnownStore(
            name: "RhetTbull_photoscript__CLSPublicEventCache.sqlite", entities: 4,
            rows: [:],
            values: [:]),
        KnownStore(
            name: "RhetTbull_photoscript__PGCurationCache.sqlite.sqlite", entities: 3,
            rows: [:],
            values: [:]),
        KnownStore(
            name: "RhetTbull_photoscript__Photos.sqlite", entities: 54,
            rows: [
                "AdditionalAssetAttributes": 1, "Album": 6, "AlbumList": 7, "Asset": 1,
                "AssetAnalysisState": 1, "ExtendedAttributes": 1, "FetchingAlbum": 27, "Folder": 5,
                "ImportSession": 1, "InternalResource": 2, "Moment": 1, "MomentList": 2, "PhotosHighlight": 3,
                "UniformTypeIdentifier": 3,
            ],
            values: ["UniformTypeIdentifier/1.identifier": "public.jpeg", "AlbumList/1.identifier": "4"]),
        KnownStore(
            name: "alemar11_CoreDataPlus__SampleModel2_V1.sqlite", entities: 6,
            rows: ["Author": 2, "Book": 51, "Feedback": 444, "GraphicNovel": 1, "Page": 4970],
            values: [
                "Author/1.alias": "Andrea", "Author/1.age": "30", "Book/1.title": "title 2 - author 2",
                "Book/1.price": "10.11", "Page/1.number": "50", "Feedback/1.comment": "interesting book",
            ]),
        KnownStore(
            name: "alemar11_CoreDataPlus__SampleModel3_V1.sqlite", entities: 1,
            rows: ["User": 12],
            values: ["User/1.name": "User_2", "User/1.petName": "Dog_2_0"]),
        KnownStore(
            name: "alemar11_CoreDataPlus__SampleModel_V1.sqlite", entities: 4,
            rows: ["Car": 115, "ExpensiveSportCar": 5, "Person": 20, "SportCar": 5],
            values: [
                "Car/1.maker": "FIAT", "Car/1.numberPlate": "170", "SportCar/21.model": "M6 Coupe",
                "ExpensiveSportCar/14.maker": "McLaren", "Person/1.firstName": "Victoria",
            ]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModel.sqlite", entities: 6,
            rows: [
                "ATEvent": 58, "ATFileAttachment": 2, "ATMessage": 5, "ATMessageSender": 1,
                "ATSurveyResponse": 1,
            ],
            values: ["ATFileAttachment/1.name": "Attachment 1", "ATEvent/1.label": "com.apptentive#app#launch"]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModelv1.sqlite", entities: 10,
            rows: ["ATEvent": 1, "ATMessageDisplayType": 2, "ATMessageSender": 1, "ATTextMessage": 2],
            values: ["ATEvent/18.label": "app.exit", "ATMessageDisplayType/1.displayType": "2"]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModelv2.sqlite", entities: 11,
            rows: ["ATMessageDisplayType": 2, "ATMessageSender": 2, "ATTextMessage": 3],
            values: ["ATMessageSender/1.apptentiveID": "52900f4ba941450f6d0021f4"]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModelv3.sqlite", entities: 11,
            rows: ["ATMessageDisplayType": 2, "ATMessageSender": 2, "ATTextMessage": 3],
            values: ["ATMessageSender/1.apptentiveID": "5290119e68e275e05d0027d7"]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModelv5.sqlite", entities: 6,
            rows: ["ATEvent": 2, "ATFileAttachment": 6, "ATMessage": 4, "ATMessageSender": 2],
            values: ["ATFileAttachment/1.mimeType": "image/jpeg"]),
        KnownStore(
            name: "apptentive_apptentive-ios__ATDataModel~4.sqlite", entities: 11,
            rows: ["ATMessageDisplayType": 2, "ATMessageSender": 2, "ATTextMessage": 3],
            values: ["ATMessageSender/1.apptentiveID": "5290112bda21852407002561"]),
        KnownStore(
            name: "bandhavivinay_TavantTrade_iPad__Model.sqlite", entities: 2,
            rows: ["FeedbackCategory": 19, "FeedbackSubCategory": 79],
            values: [
                "FeedbackCategory/1.name": "Settlement",
                "FeedbackSubCategory/1.name": "Discrepancy in limits",
            ]),
        KnownStore(
            name: "duckduckgo_BrowserServicesKit__Bookmarks_V1.sqlite", entities: 1,
            rows: ["BookmarkEntity": 10],
            values: ["BookmarkEntity/1.title": "33"]),
        KnownStore(
            name: "duckduckgo_BrowserServicesKit__Bookmarks_V2.sqlite", entities: 1,
            rows: ["BookmarkEntity": 10],
            values: ["BookmarkEntity/1.title": "3"]),
        KnownStore(
            name: "duckduckgo_BrowserServicesKit__Bookmarks_V3.sqlite", entities: 1,
            rows: ["BookmarkEntity": 10],
            values: ["BookmarkEntity/1.title": "2"]),
        KnownStore(
            name: "duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite", entities: 1,
            rows: ["BookmarkEntity": 10],
            values: ["BookmarkEntity/1.title": "4"]),
        KnownStore(
            name: "kodecocodes_cdt-materials__SurfJournalModel.sqlite", entities: 1,
            rows: ["JournalEntry": 5000],
            values: ["JournalEntry/1.location": "C Street", "JournalEntry/1.height": "3.9"]),
        KnownStore(
            name: "objcio_core-data__Moody.moody", entities: 4,
            rows: ["Continent": 2, "Country": 3, "Mood": 4],
            values: ["Country/21.numericISO3166Code": "710", "Mood/38.latitude": "13.154376"]),
        KnownStore(
            name: "objcio_core-data__Moody_2.moody", entities: 4,
            rows: ["Continent": 2, "Country": 3, "Mood": 4],
            values: ["Country/3.numericISO3166Code": "710", "Mood/1.latitude": "7.013668"]),
        KnownStore(
            name: "objcio_core-data__Moody_4.moody", entities: 3,
            rows: ["Continent": 2, "Country": 3, "Mood": 4],
            values: ["Country/1.numericISO3166Code": "231", "Mood/1.latitude": "-26.0"]),
        KnownStore(
            name: "richardpiazza_XCServerCoreData__XCServerCoreData_1.2.0_empty.sqlite", entities: 23,
            rows: [:],
            values: [:]),
        KnownStore(
            name: "richardpiazza_XCServerCoreData__XCServerCoreData_2.0.0_empty.sqlite", entities: 23,
            rows: [:],
            values: [:]),
        KnownStore(
            name: "sergd2005_ResourcesManager__default.store", entities: 3,
            rows: ["Component": 1, "CraftingRecipe": 2, "Item": 4],
            values: ["Item/1.name": "Stone Axe", "CraftingRecipe/1.producedItemCount": "1"]),
    ]
}
