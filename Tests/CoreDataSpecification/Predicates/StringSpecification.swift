// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of comparisons of strings, with and without regard to case and diacritics.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates that compare strings") struct StringSpecification {
    @Test("equality respects case and diacritics unless an option says otherwise", arguments: StoreKind.all)
    func equality(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name == 'bob'", finds: ["bob"])
        try firm.expect("name ==[c] 'BOB'", finds: ["Bob", "bob"])
        try firm.expect("name ==[c] 'élodie'", finds: ["Élodie"])
        try firm.expect("name ==[d] 'Elodie'", finds: ["Élodie"])
        try firm.expect("name ==[cd] 'ELODIE'", finds: ["Élodie", "elodie"])
        try firm.expect("name !=[cd] 'ELODIE'", finds: ["Ada", "Bob", "bob", "Straße", "STRASSE", "İpek"])
        try firm.expect("nickname == ''", finds: ["STRASSE"])
        try firm.expect("nickname == %@", "a\nb", finds: ["İpek"])
        try firm.expect("nickname !=[c] 'elo'", finds: ["Ada", "Bob", "bob", "elodie", "Straße", "STRASSE", "İpek"])
    }

    @Test("strings have an order", arguments: StoreKind.all)
    func order(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name < 'Bz'", finds: ["Ada", "Bob"])
        try firm.expect("name >= 'a' AND name < 'f'", finds: ["bob", "elodie"])
        try firm.expect("name <=[c] 'BOB'", finds: ["Ada", "Bob", "bob"])
        try firm.expect("name BETWEEN {'A', 'C'}", finds: ["Ada", "Bob"])
    }

    /// Proves: F55
    @Test("BEGINSWITH, CONTAINS and ENDSWITH", arguments: StoreKind.all)
    func parts(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name BEGINSWITH 'B'", finds: ["Bob"])
        try firm.expect("name BEGINSWITH[c] 'B'", finds: ["Bob", "bob"])
        try firm.expect("name BEGINSWITH[cd] 'elo'", finds: ["Élodie", "elodie"])
        try firm.expect("name BEGINSWITH[cd] 'éLO'", finds: ["Élodie", "elodie"])
        try firm.expect("name CONTAINS 'o'", finds: ["Bob", "bob", "Élodie", "elodie"])
        try firm.expect("name CONTAINS[c] 'TR'", finds: ["STRASSE", "Straße"])
        try firm.expect("name CONTAINS[c] 'É'", finds: ["Élodie"])
        try firm.expect("name CONTAINS[cd] 'E'", finds: ["Élodie", "elodie", "STRASSE", "Straße", "İpek"])
        try firm.expect("name ENDSWITH 'die'", finds: ["Élodie", "elodie"])
        try firm.expect("name ENDSWITH[c] 'DIE'", finds: ["Élodie", "elodie"])
        try firm.expect("NOT (nickname CONTAINS 'o')", finds: ["Ada", "bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("nickname CONTAINS '%'", finds: ["Straße"])
        try firm.expect("nickname CONTAINS '_*'", finds: ["Straße"])
        try firm.expect("nickname ENDSWITH '?'", finds: ["Straße"])
        try firm.expect("nickname BEGINSWITH '5'", finds: ["Straße"])
    }

    /// Decided by `fetch(_:)` with BEGINSWITH, CONTAINS[cd] and LIKE[c] of decomposed text, on a SQLite store.
    @Test("the same text spelled with combining characters is found", .tags(.assumed), arguments: StoreKind.all)
    func spelling(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name BEGINSWITH %@", "E\u{301}lo", finds: ["Élodie"])
        try firm.expect("name CONTAINS[cd] %@", "e\u{301}L", finds: ["Élodie", "elodie"])
        try firm.expect("name LIKE[c] %@", "e\u{301}lodie", finds: ["Élodie"])
    }

    @Test("LIKE knows * and ?, and the whole string has to fit", arguments: StoreKind.all)
    func like(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name LIKE 'B*'", finds: ["Bob"])
        try firm.expect("name LIKE[c] '?o?'", finds: ["Bob", "bob"])
        try firm.expect("name LIKE '*o*'", finds: ["Bob", "bob", "Élodie", "elodie"])
        try firm.expect("name LIKE[cd] 'e*E'", finds: ["Élodie", "elodie"])
        try firm.expect("name LIKE 'o'", finds: [])
        try firm.expect("name LIKE 'Bob'", finds: ["Bob"])
        try firm.expect("nickname LIKE '50%*'", finds: ["Straße"])
        try firm.expect("nickname LIKE %@", "50%_\\*\\?", finds: ["Straße"])
        try firm.expect("nickname LIKE 'a?b'", finds: ["İpek"])
        try firm.expect("nickname LIKE '*'", finds: ["Bob", "Élodie", "elodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("nickname LIKE ''", finds: ["STRASSE"])
    }

    @Test("MATCHES takes a regular expression for the whole string", arguments: StoreKind.all)
    func matches(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name MATCHES '[A-C].*'", finds: ["Ada", "Bob"])
        try firm.expect("name MATCHES 'o'", finds: [])
        try firm.expect("name MATCHES[c] 'b(o|u)b'", finds: ["Bob", "bob"])
        try firm.expect("name MATCHES %@", "\\w{3}", finds: ["Ada", "Bob", "bob"])
        try firm.expect("NOT (name MATCHES '.*o.*')", finds: ["Ada", "Straße", "STRASSE", "İpek"])
    }

    /// Decided by `fetch(_:)` with ==[c], ==[cd] and CONTAINS[c] of İ, ß and É, on a SQLite store.
    @Test("letters beyond ASCII fold as Unicode says", .tags(.assumed), arguments: StoreKind.all)
    func folding(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name ==[cd] 'ipek'", finds: ["İpek"])
        try firm.expect("name CONTAINS 'ß'", finds: ["Straße"])
        try firm.expect("name ==[c] 'strasse'", finds: ["Straße", "STRASSE"])
        try firm.expect("name CONTAINS[c] 'ß'", finds: ["Straße", "STRASSE"])
        try firm.expect("name ENDSWITH[d] 'lodie'", finds: ["Élodie", "elodie"])
    }

    @Test("a regular expression that comes to no result is an error, not an empty answer", arguments: StoreKind.all)
    func endlessPattern(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", NSPredicate(format: "nickname MATCHES %@", "(a+)+b"))
        #expect(try firm.context.fetch(request).isEmpty)
        firm.insert("Person", ["name": "Zoe", "nickname": String(repeating: "a", count: 50)])
        // Unsaved, and then saved.
        for _ in 0..<2 {
            let error = #expect(throws: CocoaError.self) { try firm.context.fetch(request) }
            #expect(error.map { String(describing: $0) }?.contains("(a+)+b") == true)
            try firm.context.save()
        }
    }
}
