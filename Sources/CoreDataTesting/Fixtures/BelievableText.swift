// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses texts that fit the name of an attribute.

import Foundation

enum BelievableText {
    private static let givenNames = [
        "Ada", "Alan", "Amira", "Ben", "Carla", "Chen", "Dana", "Diego", "Elif", "Emil", "Fatima", "Grace", "Hana",
        "Ines", "Ivan", "Jonas", "Kofi", "Lena", "Luca", "Maya", "Nadia", "Noah", "Olga", "Priya", "Ravi", "Sofia",
        "Tomás", "Wei", "Yara", "Zoë",
    ]
    private static let familyNames = [
        "Abe", "Andersson", "Bauer", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Haddad", "Ito", "Jansen",
        "Kim", "Kowalski", "Larsen", "Meyer", "Nguyen", "Novák", "Okafor", "Patel", "Quinn", "Rossi", "Santos",
        "Singh", "Smith", "Tanaka", "Ueda", "Vogel", "Wang", "Yılmaz", "Zhang",
    ]
    private static let nouns = [
        "River", "Garden", "Letter", "Mountain", "Station", "Winter", "Lantern", "Harbour", "Island", "Window",
        "Bridge",
        "Forest", "Clock", "Market", "Mirror", "Orchard", "Road", "Signal", "Storm", "Table", "Theatre", "Tower",
        "Valley", "Voyage", "Workshop",
    ]
    private static let adjectives = [
        "Blue", "Quiet", "Last", "Early", "Golden", "Hidden", "Broken", "Northern", "Little", "Empty", "Bright",
        "Distant", "Green", "Open", "Second", "Silver", "Slow", "Small", "Warm", "White",
    ]
    private static let words = [
        "about", "again", "another", "because", "began", "between", "carried", "city", "closed", "every", "found",
        "garden", "house", "letters", "light", "little", "looked", "morning", "never", "night", "often", "people",
        "quiet", "read", "river", "said", "seemed", "small", "still", "street", "table", "there", "thought", "under",
        "water", "while", "window", "without", "write", "years",
    ]
    private static let cities = [
        "Accra", "Berlin", "Bogotá", "Cairo", "Dublin", "Gdańsk", "Hanoi", "Kyoto", "Lagos", "Lima", "Lisbon", "Malmö",
        "Mumbai", "Nairobi", "Oslo", "Porto", "Quito", "Rabat", "Riga", "Seoul", "Tallinn", "Toronto", "Turin",
        "Utrecht", "Vienna",
    ]
    private static let countries = [
        "Brazil", "Canada", "Egypt", "Estonia", "France", "Germany", "Ghana", "India", "Ireland", "Italy", "Japan",
        "Kenya", "Mexico", "Norway", "Poland", "Portugal", "Spain", "Sweden", "Turkey", "Vietnam",
    ]
    private static let streets = [
        "Mill Road", "Station Street", "High Street", "Park Lane", "Church Road", "Oak Avenue",
    ]
    private static let colors = ["red", "green", "blue", "yellow", "orange", "violet", "black", "white", "grey"]
    private static let statuses = ["open", "active", "waiting", "done", "closed"]
    private static let companies = ["Works", "Partners", "Foods", "Books", "Labs", "Trading"]

    /// A text for an attribute of this name.
    static func text(for attribute: String, _ numbers: inout FixtureNumbers) -> String {
        let name = attribute.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("email", "mail") { return email(&numbers) }
        if has("firstname", "givenname", "forename") { return numbers.one(of: givenNames) }
        if has("lastname", "familyname", "surname") { return numbers.one(of: familyNames) }
        if has("username", "login", "handle", "nickname") {
            return plain(numbers.one(of: givenNames)) + "\(numbers.below(100))"
        }
        if has("author", "person", "owner", "contact", "artist", "customer", "fullname") { return person(&numbers) }
        if has("company", "publisher", "organization", "organisation", "vendor", "brand") {
            return "\(numbers.one(of: familyNames)) \(numbers.one(of: companies))"
        }
        if has("city", "town", "place") { return numbers.one(of: cities) }
        if has("countrycode", "language", "locale") {
            return numbers.one(of: ["de", "en", "es", "fr", "it", "pl", "pt"])
        }
        if has("country", "nation") { return numbers.one(of: countries) }
        if has("street", "address") { return "\(numbers.one(of: streets)) \(1 + numbers.below(120))" }
        if has("zip", "postcode", "postal") { return digits(5, &numbers) }
        if has("phone", "mobile", "fax") { return "+1 555 01\(digits(2, &numbers))" }
        if has("url", "website", "link", "homepage") { return url(&numbers) }
        if has("currency") { return numbers.one(of: ["CHF", "EUR", "GBP", "JPY", "USD"]) }
        if has("color", "colour") { return numbers.one(of: colors) }
        if has("status", "state", "kind") { return numbers.one(of: statuses) }
        if has("isbn") { return "978\(digits(10, &numbers))" }
        if has("code", "sku", "serial", "identifier", "number", "token") || name == "id" {
            return "\(letters(3, &numbers))-\(digits(5, &numbers))"
        }
        if has("text", "body", "content", "note", "comment", "description", "summary", "message", "detail") {
            return sentence(&numbers)
        }
        if has("title", "subject", "headline") { return title(&numbers) }
        if name == "name" { return numbers.chance(0.5) ? title(&numbers) : person(&numbers) }
        return title(&numbers)
    }

    static func word(_ numbers: inout FixtureNumbers) -> String { numbers.one(of: words) }

    static func url(_ numbers: inout FixtureNumbers) -> String {
        "https://example.org/\(numbers.one(of: words))/\(numbers.below(10_000))"
    }

    private static func person(_ numbers: inout FixtureNumbers) -> String {
        "\(numbers.one(of: givenNames)) \(numbers.one(of: familyNames))"
    }

    private static func title(_ numbers: inout FixtureNumbers) -> String {
        "The \(numbers.one(of: adjectives)) \(numbers.one(of: nouns))"
    }

    private static func email(_ numbers: inout FixtureNumbers) -> String {
        "\(plain(numbers.one(of: givenNames))).\(plain(numbers.one(of: familyNames)))@example.org"
    }

    private static func sentence(_ numbers: inout FixtureNumbers) -> String {
        let count = 5 + numbers.below(8)
        let text = (0..<count).map { _ in word(&numbers) }.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    private static func digits(_ count: Int, _ numbers: inout FixtureNumbers) -> String {
        (0..<count).map { _ in "\(numbers.below(10))" }.joined()
    }

    private static func letters(_ count: Int, _ numbers: inout FixtureNumbers) -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
        return String((0..<count).map { _ in numbers.one(of: alphabet) })
    }

    /// Lower case, ASCII letters only.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().decomposedStringWithCanonicalMapping.filter { $0.isASCII && $0.isLetter })
    }
}
