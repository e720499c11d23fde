// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the SQL and the rows of every operator of the predicate language.

// Apple's framework does not explain its fetches.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    /// The literals are recorded: `COREDATA_RECORD=1 swift test --filter PredicateOperatorSpecification` rewrites them.
    @Suite("Operators in SQL") struct PredicateOperatorSpecification {
        @Suite("The SQL and the rows of comparisons") struct Comparisons {
            let firm: Firm
            init() throws { firm = try Firm(in: .sqlite) }

            @Test("==") func equal() throws {
                try assertFetch(request("age == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age = 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("name == 'Bob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
            }

            @Test("MATCHING, which needs searched attributes") func matching() throws {
                try assertRefused(request("name MATCHING 'bob'"), in: firm.context) {
                    "'Person' has no searched attributes"
                }
            }

            @Test("!= and <>") func unequal() throws {
                try assertFetch(request("age != 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE IS NOT ?
                    """
                } rows: {
                    """
                    name    | age
                    Ada     | 36
                    STRASSE | nil
                    Straße  | 7
                    bob     | 40
                    Élodie  | 65
                    İpek    | 50
                    """
                }
                try assertFetch(request("age <> 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE IS NOT ?
                    """
                } rows: {
                    """
                    name    | age
                    Ada     | 36
                    STRASSE | nil
                    Straße  | 7
                    bob     | 40
                    Élodie  | 65
                    İpek    | 50
                    """
                }
            }

            @Test("<, <=, >, >= and their other spellings") func order() throws {
                try assertFetch(request("age < 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE < ?
                    """
                } rows: {
                    """
                    name   | age
                    Straße | 7
                    """
                }
                try assertFetch(request("age <= 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE <= ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    Straße | 7
                    elodie | 20
                    """
                }
                try assertFetch(request("age =< 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE <= ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    Straße | 7
                    elodie | 20
                    """
                }
                try assertFetch(request("age > 40"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE > ?
                    """
                } rows: {
                    """
                    name   | age
                    Élodie | 65
                    İpek   | 50
                    """
                }
                try assertFetch(request("age >= 40"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE >= ?
                    """
                } rows: {
                    """
                    name   | age
                    bob    | 40
                    Élodie | 65
                    İpek   | 50
                    """
                }
                try assertFetch(request("age => 40"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE >= ?
                    """
                } rows: {
                    """
                    name   | age
                    bob    | 40
                    Élodie | 65
                    İpek   | 50
                    """
                }
            }

            @Test("nil") func null() throws {
                try assertFetch(request("nickname == nil"), in: firm.context, columns: ["name", "nickname"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNICKNAME IS NULL
                    """
                } rows: {
                    """
                    name | nickname
                    Ada  | nil
                    bob  | nil
                    """
                }
                try assertFetch(request("nickname != nil"), in: firm.context, columns: ["name", "nickname"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNICKNAME IS NOT NULL
                    """
                } rows: {
                    #"""
                    name    | nickname
                    Bob     | bobby
                    STRASSE |
                    Straße  | 50%_*?
                    elodie  | élo
                    Élodie  | ELO
                    İpek    | a\nb
                    """#
                }
                try assertFetch(request("born == NULL"), in: firm.context, columns: ["name", "born"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBORN IS NULL
                    """
                } rows: {
                    """
                    name    | born
                    STRASSE | nil
                    Straße  | nil
                    bob     | nil
                    elodie  | nil
                    İpek    | nil
                    """
                }
                try assertFetch(request("department = nil"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZDEPARTMENT IS NULL
                    """
                } rows: {
                    """
                    name
                    STRASSE
                    Straße
                    """
                }
                try assertFetch(request("nickname == NSNULL"), in: firm.context, columns: ["name", "nickname"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNICKNAME IS NULL
                    """
                } rows: {
                    """
                    name | nickname
                    Ada  | nil
                    bob  | nil
                    """
                }
            }

            @Test("BETWEEN") func between() throws {
                try assertFetch(request("age BETWEEN {20, 40}"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE >= ? AND t0.ZAGE <= ?)
                    """
                } rows: {
                    """
                    name   | age
                    Ada    | 36
                    Bob    | 20
                    bob    | 40
                    elodie | 20
                    """
                }
                try assertFetch(
                    request(
                        "born BETWEEN %@",
                        [[Date(timeIntervalSinceReferenceDate: -1), Date(timeIntervalSinceReferenceDate: 1)]]),
                    in: firm.context,
                    columns: ["name", "born"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZBORN >= ? AND t0.ZBORN <= ?)
                    """
                } rows: {
                    """
                    name | born
                    Ada  | 0.0 s
                    """
                }
            }

            @Test("IN") func `in`() throws {
                try assertFetch(request("age IN {7, 20}"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE IN (?, ?)
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    Straße | 7
                    elodie | 20
                    """
                }
                try assertFetch(request("name IN %@", [["Bob", "Ada"]]), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME IN (?, ?)
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    """
                }
                try assertFetch(request("age IN {20, nil}"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE IN (?) OR t0.ZAGE IS NULL)
                    """
                } rows: {
                    """
                    name    | age
                    Bob     | 20
                    STRASSE | nil
                    elodie  | 20
                    """
                }
                try assertFetch(request("name IN[c] {'BOB', 'ADA'}"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (OCD_EQUAL_1(t0.ZNAME, ?) OR
                        OCD_EQUAL_1(t0.ZNAME, ?))
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    bob
                    """
                }
                try assertFetch(request("'o' IN name"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CONTAINS_0(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    elodie
                    Élodie
                    """
                }
            }

            @Test("values of every type") func types() throws {
                try assertFetch(request("salary == 0.1"), in: firm.context, columns: ["name", "salary"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZSALARY = ?
                    """
                } rows: {
                    """
                    name | salary
                    bob  | 0.1
                    """
                }
                try assertFetch(request("weight > 60"), in: firm.context, columns: ["name", "weight"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZWEIGHT > ?
                    """
                } rows: {
                    """
                    name | weight
                    Bob  | 80.25
                    """
                }
                try assertFetch(
                    request("balance == %@", [NSDecimalNumber(string: "10.10")]), in: firm.context,
                    columns: ["name", "balance"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBALANCE = ?
                    """
                } rows: {
                    """
                    name | balance
                    Ada  | 10.1
                    """
                }
                try assertFetch(request("isActive == YES"), in: firm.context, columns: ["name", "isActive"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZISACTIVE = ?
                    """
                } rows: {
                    """
                    name   | isActive
                    Ada    | 1
                    bob    | 1
                    Élodie | 1
                    """
                }
                try assertFetch(request("isActive == FALSE"), in: firm.context, columns: ["name", "isActive"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZISACTIVE = ?
                    """
                } rows: {
                    """
                    name    | isActive
                    Bob     | 0
                    STRASSE | 0
                    """
                }
                try assertFetch(
                    request("born > %@", [Date(timeIntervalSinceReferenceDate: 0)]), in: firm.context,
                    columns: ["name", "born"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBORN > ?
                    """
                } rows: {
                    """
                    name | born
                    Bob  | 86400.0 s
                    """
                }
                try assertFetch(request("badge == %@", [Firm.badge]), in: firm.context, columns: ["name", "badge"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBADGE = ?
                    """
                } rows: {
                    """
                    name | badge
                    Ada  | 01020304-0506-0708-090A-0B0C0D0E0FAB
                    """
                }
                try assertFetch(
                    request("site == %@", [URL(string: "https://example.org/bob")!]), in: firm.context,
                    columns: ["name", "site"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZSITE = ?
                    """
                } rows: {
                    """
                    name | site
                    bob  | https://example.org/bob
                    """
                }
                try assertFetch(
                    request("photo == %@", [Data([1, 2, 3])]), in: firm.context,
                    columns: ["name", "photo"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZPHOTO = ?
                    """
                } rows: {
                    """
                    name   | photo
                    Élodie | 1 2 3
                    """
                }
                try assertFetch(request("number == 9007199254740993"), in: firm.context, columns: ["name", "number"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNUMBER = ?
                    """
                } rows: {
                    """
                    name | number
                    bob  | 9007199254740993
                    """
                }
                try assertFetch(request("isActive == TRUE"), in: firm.context, columns: ["name", "isActive"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZISACTIVE = ?
                    """
                } rows: {
                    """
                    name   | isActive
                    Ada    | 1
                    bob    | 1
                    Élodie | 1
                    """
                }
            }

        }

        @Suite("The SQL and the rows of strings") struct Strings {
            let firm: Firm
            init() throws { firm = try Firm(in: .sqlite) }

            @Test("== with [c], [d], [cd] and [n]") func equalText() throws {
                try assertFetch(request("name ==[c] 'bob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_EQUAL_1(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name ==[d] 'Elodie'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_EQUAL_2(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Élodie
                    """
                }
                try assertFetch(request("name ==[cd] 'élodie'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_EQUAL_3(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
                try assertFetch(request("name ==[n] 'Bob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
                try assertFetch(request("name !=[c] 'bob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE NOT IFNULL(OCD_EQUAL_1(t0.ZNAME, ?), 0)
                    """
                } rows: {
                    """
                    name
                    Ada
                    STRASSE
                    Straße
                    elodie
                    Élodie
                    İpek
                    """
                }
            }

            @Test("< with [cd]") func orderText() throws {
                try assertFetch(request("name <[cd] 'BOC'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME < ? COLLATE OCD_ORDER_3
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name > 'b'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME > ?
                    """
                } rows: {
                    """
                    name
                    bob
                    elodie
                    Élodie
                    İpek
                    """
                }
                try assertFetch(request("name <[l] 'b'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZNAME < ?
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    STRASSE
                    Straße
                    """
                }
            }

            @Test("BEGINSWITH") func beginsWith() throws {
                try assertFetch(request("name BEGINSWITH 'B'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZNAME >= ? AND t0.ZNAME < ? AND
                        (SUBSTR(t0.ZNAME, 2, 1) < char(768) OR OCD_BEGINS_0(t0.ZNAME, ?)))
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
                try assertFetch(request("name BEGINSWITH[c] 'B'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_BEGINS_1(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name BEGINSWITH[cd] 'e'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_BEGINS_3(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
            }

            @Test("ENDSWITH") func endsWith() throws {
                try assertFetch(request("name ENDSWITH 'b'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_ENDS_0(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name ENDSWITH[cd] 'IE'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_ENDS_3(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
            }

            @Test("CONTAINS") func contains() throws {
                try assertFetch(request("name CONTAINS 'o'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CONTAINS_0(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    elodie
                    Élodie
                    """
                }
                try assertFetch(request("name CONTAINS[c] 'O'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CONTAINS_1(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    elodie
                    Élodie
                    """
                }
                try assertFetch(request("name CONTAINS[cd] 'od'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CONTAINS_3(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
                try assertFetch(request("nickname CONTAINS '%'"), in: firm.context, columns: ["name", "nickname"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CONTAINS_0(t0.ZNICKNAME, ?)
                    """
                } rows: {
                    """
                    name   | nickname
                    Straße | 50%_*?
                    """
                }
            }

            @Test("LIKE") func like() throws {
                try assertFetch(request("name LIKE 'B*'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZNAME >= ? AND t0.ZNAME < ? AND
                        (SUBSTR(t0.ZNAME, 2, 1) < char(768) OR OCD_BEGINS_0(t0.ZNAME, ?)))
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
                try assertFetch(request("name LIKE '?ob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_LIKE_0(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name LIKE[cd] '*DI?'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_LIKE_3(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
                try assertFetch(request("nickname LIKE '*_\\*?'"), in: firm.context, columns: ["name", "nickname"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_LIKE_0(t0.ZNICKNAME, ?)
                    """
                } rows: {
                    """
                    name   | nickname
                    Straße | 50%_*?
                    """
                }
            }

            @Test("MATCHES") func matches() throws {
                try assertFetch(request("name MATCHES '[Bb]ob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_MATCHES_0(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("name MATCHES[c] 'b.b'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_MATCHES_1(t0.ZNAME, ?)
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
            }
        }

        @Suite("The SQL and the rows of logic") struct Logic {
            let firm: Firm
            init() throws { firm = try Firm(in: .sqlite) }

            @Test("AND, OR and NOT") func and() throws {
                try assertFetch(request("age == 20 AND isActive == NO"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE = ? AND t0.ZISACTIVE = ?
                    """
                } rows: {
                    """
                    name | age
                    Bob  | 20
                    """
                }
                try assertFetch(request("age == 7 OR age == 65"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE = ? OR t0.ZAGE = ?)
                    """
                } rows: {
                    """
                    name   | age
                    Straße | 7
                    Élodie | 65
                    """
                }
                try assertFetch(request("NOT age > 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE NOT IFNULL(t0.ZAGE > ?, 0)
                    """
                } rows: {
                    """
                    name    | age
                    Bob     | 20
                    STRASSE | nil
                    Straße  | 7
                    elodie  | 20
                    """
                }
                try assertFetch(
                    request("NOT (age == 20 OR nickname == nil) && name != 'x'"), in: firm.context,
                    columns: ["name", "age"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE IS NOT ? AND t0.ZNICKNAME IS NOT
                        NULL) AND t0.ZNAME IS NOT ?
                    """
                } rows: {
                    """
                    name    | age
                    STRASSE | nil
                    Straße  | 7
                    Élodie  | 65
                    İpek    | 50
                    """
                }
                try assertFetch(request("!(age == 20) || age == nil"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE IS NOT ? OR t0.ZAGE IS NULL)
                    """
                } rows: {
                    """
                    name    | age
                    Ada     | 36
                    STRASSE | nil
                    Straße  | 7
                    bob     | 40
                    Élodie  | 65
                    İpek    | 50
                    """
                }
            }

            @Test("TRUEPREDICATE and FALSEPREDICATE") func constants() throws {
                try assertFetch(request("TRUEPREDICATE"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    STRASSE
                    Straße
                    bob
                    elodie
                    Élodie
                    İpek
                    """
                }
                try assertFetch(request("FALSEPREDICATE"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE 0
                    """
                } rows: {
                    """
                    name
                    """
                }
                try assertFetch(request("age == 20 OR FALSEPREDICATE"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE = ? OR 0)
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }

            @Test("$variables") func variables() throws {
                try assertFetch(request("age == $age", with: ["age": 20]), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZAGE = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }
        }

        @Suite("The SQL and the rows of relationships") struct Relationships {
            let firm: Firm
            init() throws { firm = try Firm(in: .sqlite) }

            @Test("a key path over to-one relationships") func toOne() throws {
                try assertFetch(
                    request("department.name == 'Research'"), in: firm.context,
                    columns: ["name", "department"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 LEFT JOIN ZDEPARTMENT AS t1 ON t1.Z_PK =
                        t0.ZDEPARTMENT WHERE t1.ZNAME = ?
                    """
                } rows: {
                    """
                    name | department
                    Ada  | Research
                    Bob  | Research
                    """
                }
                try assertFetch(request("boss.department.floor > 1"), in: firm.context, columns: ["name", "boss"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZBOSS LEFT
                        JOIN ZDEPARTMENT AS t2 ON t2.Z_PK = t1.ZDEPARTMENT WHERE t2.ZFLOOR > ?
                    """
                } rows: {
                    """
                    name    | boss
                    STRASSE | bob
                    """
                }
                try assertFetch(request("boss.boss.name == 'Ada'"), in: firm.context, columns: ["name", "boss.boss"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 LEFT JOIN ZPERSON AS t1 ON t1.Z_PK = t0.ZBOSS LEFT
                        JOIN ZPERSON AS t2 ON t2.Z_PK = t1.ZBOSS WHERE t2.ZNAME = ?
                    """
                } rows: {
                    """
                    name    | boss.boss
                    STRASSE | Ada
                    elodie  | Ada
                    Élodie  | Ada
                    """
                }
            }

            @Test("an object and SELF") func object() throws {
                try assertFetch(
                    request("department == %@", [firm.department("Sales")]), in: firm.context,
                    columns: ["name", "department"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZDEPARTMENT = ?
                    """
                } rows: {
                    """
                    name   | department
                    bob    | Sales
                    elodie | Sales
                    Élodie | Sales
                    İpek   | Sales
                    """
                }
                try assertFetch(request("SELF == %@", [firm.person("Bob")]), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.Z_PK = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
                try assertFetch(
                    request("SELF IN %@", [[firm.person("Bob"), firm.person("Ada")]]), in: firm.context,
                    columns: ["name"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.Z_PK IN (?, ?)
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    """
                }
                try assertFetch(
                    request("boss != %@", [firm.person("Ada")]), in: firm.context,
                    columns: ["name", "boss"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBOSS IS NOT ?
                    """
                } rows: {
                    """
                    name    | boss
                    Ada     | nil
                    STRASSE | bob
                    Straße  | nil
                    elodie  | Bob
                    Élodie  | Bob
                    """
                }
                try assertFetch(
                    request("objectID == %@", [firm.person("Bob").objectID]), in: firm.context,
                    columns: ["name"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.Z_PK = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    """
                }
            }

            @Test("ANY and SOME") func anyOfMany() throws {
                try assertFetch(
                    request("ANY projects.name == 'Zephyr'"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.ZNAME = ?)
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    bob    | {Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("SOME projects.cost < 5"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.ZCOST < ?)
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    bob    | {Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("ANY reports.projects.name == 'Idle'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM ZPERSON AS t1 WHERE
                        t1.ZBOSS = t0.Z_PK AND EXISTS (SELECT 1 FROM Z_2PROJECTS AS t3 JOIN ZPROJECT AS t2 ON
                        t2.Z_PK = t3.Z_5PROJECTS WHERE t3.Z_2MEMBERS = t1.Z_PK AND t2.ZNAME = ?))
                    """
                } rows: {
                    """
                    name
                    bob
                    """
                }
                try assertFetch(
                    request("ANY projects.name BEGINSWITH[c] 'a'"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND
                        OCD_BEGINS_1(t1.ZNAME, ?))
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    Bob    | {Apollo}
                    elodie | {Apollo, Zephyr}
                    """
                }
            }

            @Test("ALL") func all() throws {
                try assertFetch(request("ALL projects.cost > 5"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE NOT EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND NOT
                        IFNULL(t1.ZCOST > ?, 0))
                    """
                } rows: {
                    """
                    name    | projects
                    Bob     | {Apollo}
                    STRASSE | {Idle}
                    Straße  | {}
                    Élodie  | {}
                    İpek    | {}
                    """
                }
            }

            @Test("NONE") func none() throws {
                try assertFetch(
                    request("NONE projects.name == 'Apollo'"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE NOT EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.ZNAME =
                        ?)
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    Straße  | {}
                    bob     | {Zephyr}
                    Élodie  | {}
                    İpek    | {}
                    """
                }
            }

            @Test("a key path over to-many relationships") func toMany() throws {
                try assertFetch(
                    request("projects.name CONTAINS 'Apollo'"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.ZNAME = ?)
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    Bob    | {Apollo}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("'Idle' IN projects.name"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.ZNAME = ?)
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
                try assertFetch(
                    request("projects CONTAINS %@", [firm.projects["Idle"]!]), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE EXISTS (SELECT 1 FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND t1.Z_PK = ?)
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
            }

            @Test("@count") func count() throws {
                try assertFetch(request("projects.@count == 2"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("reports.@count > 1"), in: firm.context, columns: ["name", "reports"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM ZPERSON AS t1 WHERE
                        t1.ZBOSS = t0.Z_PK) > ?
                    """
                } rows: {
                    """
                    name | reports
                    Ada  | {Bob, bob, İpek}
                    Bob  | {elodie, Élodie}
                    """
                }
                try assertFetch(
                    request("projects.@count == 0 AND boss != nil"), in: firm.context,
                    columns: ["name", "boss"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ? AND t0.ZBOSS
                        IS NOT NULL
                    """
                } rows: {
                    """
                    name   | boss
                    Élodie | Bob
                    İpek   | Ada
                    """
                }
            }

            @Test("@sum, @avg, @min and @max") func aggregates() throws {
                try assertFetch(request("projects.@sum.cost > 100"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT IFNULL(SUM(t1.ZCOST), 0) FROM
                        Z_2PROJECTS AS t2 JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS =
                        t0.Z_PK) > ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("projects.@avg.cost < 60"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT IFNULL(IFNULL(SUM(t1.ZCOST), 0) * 1.0
                        / COUNT(*), 0) FROM Z_2PROJECTS AS t2 JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE
                        t2.Z_2MEMBERS = t0.Z_PK) < ?
                    """
                } rows: {
                    """
                    name    | projects
                    Ada     | {Apollo, Zephyr}
                    STRASSE | {Idle}
                    Straße  | {}
                    bob     | {Zephyr}
                    elodie  | {Apollo, Zephyr}
                    Élodie  | {}
                    İpek    | {}
                    """
                }
                try assertFetch(request("projects.@min.cost == 2.5"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT MIN(t1.ZCOST) FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    bob    | {Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("projects.@max.cost == 7"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT MAX(t1.ZCOST) FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
                try assertFetch(request("reports.@sum.age > 100"), in: firm.context, columns: ["name", "reports"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT IFNULL(SUM(t1.ZAGE >> 32) * 4294967296
                        + SUM(t1.ZAGE & 4294967295), 0) FROM ZPERSON AS t1 WHERE t1.ZBOSS = t0.Z_PK) > ?
                    """
                } rows: {
                    """
                    name | reports
                    Ada  | {Bob, bob, İpek}
                    """
                }
            }

            @Test("sum:, count:, min:, max: and average: over to-many relationships") func functionsOverMany() throws {
                try assertFetch(request("sum:(projects.cost) > 100"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT IFNULL(SUM(t1.ZCOST), 0) FROM
                        Z_2PROJECTS AS t2 JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS =
                        t0.Z_PK) > ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("count:(projects) == 1"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name    | projects
                    Bob     | {Apollo}
                    STRASSE | {Idle}
                    bob     | {Zephyr}
                    """
                }
                try assertFetch(request("min:(projects.cost) < 3"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT MIN(t1.ZCOST) FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) < ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    bob    | {Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(request("max:(projects.cost) == 7"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT MAX(t1.ZCOST) FROM Z_2PROJECTS AS t2
                        JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
                try assertFetch(
                    request("average:(projects.cost) == 7"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT IFNULL(SUM(t1.ZCOST), 0) * 1.0
                        / COUNT(t1.ZCOST) FROM Z_2PROJECTS AS t2 JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE
                        t2.Z_2MEMBERS = t0.Z_PK) = ?
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
            }

            @Test("SUBQUERY") func subquery() throws {
                try assertFetch(
                    request("SUBQUERY(projects, $p, $p.cost > 5 AND $p.name != 'Idle').@count > 0"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM Z_2PROJECTS AS t2 JOIN
                        ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS WHERE t2.Z_2MEMBERS = t0.Z_PK AND (t1.ZCOST > ?
                        AND t1.ZNAME IS NOT ?)) > ?
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    Bob    | {Apollo}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(
                    request("SUBQUERY(reports, $r, SUBQUERY($r.projects, $p, $p.cost > 5).@count > 0).@count == 1"),
                    in: firm.context,
                    columns: ["name", "reports"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM ZPERSON AS t1 WHERE
                        t1.ZBOSS = t0.Z_PK AND (SELECT COUNT(*) FROM Z_2PROJECTS AS t3 JOIN ZPROJECT AS t2 ON
                        t2.Z_PK = t3.Z_5PROJECTS WHERE t3.Z_2MEMBERS = t1.Z_PK AND t2.ZCOST > ?) > ?) = ?
                    """
                } rows: {
                    """
                    name | reports
                    Ada  | {Bob, bob, İpek}
                    Bob  | {elodie, Élodie}
                    bob  | {STRASSE}
                    """
                }
                try assertFetch(
                    request("SUBQUERY(reports, $r, $r.department != SELF.department).@count > 0"), in: firm.context,
                    columns: ["name", "reports"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (SELECT COUNT(*) FROM ZPERSON AS t1 WHERE
                        t1.ZBOSS = t0.Z_PK AND t1.ZDEPARTMENT IS NOT t0.ZDEPARTMENT) > ?
                    """
                } rows: {
                    """
                    name | reports
                    Ada  | {Bob, bob, İpek}
                    Bob  | {elodie, Élodie}
                    bob  | {STRASSE}
                    """
                }
            }

            @Test("entity") func subentity() throws {
                try assertFetch(request("title != nil", of: "Employee"), in: firm.context, columns: ["name", "title"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZTITLE IS NOT NULL AND t0.Z_ENT IN (3, 4)
                    """
                } rows: {
                    """
                    name | title
                    Ada  | Countess
                    Bob  | Engineer
                    bob  | engineer
                    İpek | Boss
                    """
                }
                try assertFetch(request("level >= 1", of: "Manager"), in: firm.context, columns: ["name", "level"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZLEVEL >= ? AND t0.Z_ENT = 4
                    """
                } rows: {
                    """
                    name | level
                    Ada  | 2
                    İpek | 1
                    """
                }
            }

            @Test("median:, mode: and stddev: over to-many relationships") func statisticsOverMany() throws {
                try assertFetch(
                    request("median:(projects.cost) == 51.25"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate median:(projects.cost) == $value: the function 'median:'
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
                try assertFetch(
                    request("mode:(projects.cost) CONTAINS 7"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate mode:(projects.cost) CONTAINS $value: the function 'mode:'
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
                try assertFetch(
                    request("stddev:(projects.cost) > 40"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate stddev:(projects.cost) > $value: the function 'stddev:'
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
            }

            @Test("distinct:") func distinct() throws {
                try assertFetch(
                    request("distinct:(projects.cost).@count == 2"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate distinct:(projects.cost).@count == $value: a key path on a computed value
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
            }

            @Test("collection operators that give lists") func listOperators() throws {
                try assertFetch(
                    request("projects.@unionOfObjects.name CONTAINS 'Idle'"), in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate projects.@unionOfObjects.name CONTAINS $value: the operator @unionOfObjects
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
                try assertFetch(
                    request("reports.@distinctUnionOfObjects.department.name CONTAINS 'Sales'"), in: firm.context,
                    columns: ["name", "reports"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate reports.@distinctUnionOfObjects.department.name CONTAINS $value: the
                        operator @distinctUnionOfObjects
                    """
                } rows: {
                    """
                    name | reports
                    Ada  | {Bob, bob, İpek}
                    Bob  | {elodie, Élodie}
                    """
                }
            }

            @Test("collection operators that unite collections, of which objects have none, are refused")
            func unions() throws {
                try assertRefused(
                    request("reports.@unionOfArrays.projects.name CONTAINS 'Idle'"), in: firm.context
                ) { "'Person' has no property '@unionOfArrays'" }
                try assertRefused(
                    request("reports.@distinctUnionOfArrays.projects.name CONTAINS 'Idle'"), in: firm.context
                ) { "'Person' has no property '@distinctUnionOfArrays'" }
                try assertRefused(
                    request("reports.@unionOfSets.projects.name CONTAINS 'Idle'"), in: firm.context
                ) { "'Person' has no property '@unionOfSets'" }
                try assertRefused(
                    request("reports.@distinctUnionOfSets.projects.name CONTAINS 'Idle'"), in: firm.context
                ) { "'Person' has no property '@distinctUnionOfSets'" }
            }

            @Test("[SIZE]") func size() throws {
                try assertFetch(request("projects[SIZE] == 2"), in: firm.context, columns: ["name", "projects"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate projects[SIZE] == $value: an expression that only an object can answer
                    """
                } rows: {
                    """
                    name   | projects
                    Ada    | {Apollo, Zephyr}
                    elodie | {Apollo, Zephyr}
                    """
                }
            }
        }

        @Suite("The SQL and the rows of expressions") struct Expressions {
            let firm: Firm
            init() throws { firm = try Firm(in: .sqlite) }

            @Test("+, -, *, / and **") func arithmetic() throws {
                try assertFetch(request("age + 1 == 21"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE + ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age - 16 == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE - ?) = ?
                    """
                } rows: {
                    """
                    name | age
                    Ada  | 36
                    """
                }
                try assertFetch(request("age * 2 > 99"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE * ?) > ?
                    """
                } rows: {
                    """
                    name   | age
                    Élodie | 65
                    İpek   | 50
                    """
                }
                try assertFetch(request("age / 2 == 10"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE / ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age ** 2 == 400"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age ** $value == $value: the function 'raise:toPower:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("-age < -50"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (? - t0.ZAGE) < ?
                    """
                } rows: {
                    """
                    name   | age
                    Élodie | 65
                    """
                }
            }

            @Test("&, |, ^, <<, >> and ~") func bits() throws {
                try assertFetch(request("age & 4 == 4"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE & ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Ada    | 36
                    Bob    | 20
                    Straße | 7
                    elodie | 20
                    """
                }
                try assertFetch(request("age | 1 == 21"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE | ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age ^ 1 == 21"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate bitwiseXor:with:(age, $value) == $value: the function 'bitwiseXor:with:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age << 1 == 40"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE << ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age >> 1 == 10"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (t0.ZAGE >> ?) = ?
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("~age == -21"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate onesComplement:(age) == $value: the function 'onesComplement:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }

            @Test("functions of numbers") func numbers() throws {
                try assertFetch(request("abs:(number) == 7"), in: firm.context, columns: ["name", "number"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE MAX(t0.ZNUMBER, 0 - t0.ZNUMBER) = ?
                    """
                } rows: {
                    """
                    name | number
                    Bob  | -7
                    İpek | 7
                    """
                }
                try assertFetch(request("floor:(salary) == 250"), in: firm.context, columns: ["name", "salary"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate floor:(salary) == $value: the function 'floor:'
                    """
                } rows: {
                    """
                    name    | salary
                    STRASSE | 250.25
                    """
                }
                try assertFetch(request("ceiling:(salary) == 10"), in: firm.context, columns: ["name", "salary"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate ceiling:(salary) == $value: the function 'ceiling:'
                    """
                } rows: {
                    """
                    name | salary
                    İpek | 9.5
                    """
                }
                try assertFetch(request("trunc:(salary) == 9"), in: firm.context, columns: ["name", "salary"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate trunc:(salary) == $value: the function 'trunc:'
                    """
                } rows: {
                    """
                    name | salary
                    İpek | 9.5
                    """
                }
                try assertFetch(request("sqrt:(age) == 6"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate sqrt:(age) == $value: the function 'sqrt:'
                    """
                } rows: {
                    """
                    name | age
                    Ada  | 36
                    """
                }
                try assertFetch(request("modulus:by:(age, 7) == 1"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate modulus:by:(age, $value) == $value: the function 'modulus:by:'
                    """
                } rows: {
                    """
                    name | age
                    Ada  | 36
                    İpek | 50
                    """
                }
                try assertFetch(request("raise:toPower:(age, 2) == 400"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age ** $value == $value: the function 'raise:toPower:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("exp:(number) < 0.01"), in: firm.context, columns: ["name", "number"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate exp:(number) < $value: the function 'exp:'
                    """
                } rows: {
                    """
                    name | number
                    Bob  | -7
                    """
                }
                try assertFetch(request("ln:(age) > 4"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate ln:(age) > $value: the function 'ln:'
                    """
                } rows: {
                    """
                    name   | age
                    Élodie | 65
                    """
                }
                try assertFetch(request("log:(age) > 1.8"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate log:(age) > $value: the function 'log:'
                    """
                } rows: {
                    """
                    name   | age
                    Élodie | 65
                    """
                }
            }

            @Test("functions of strings") func texts() throws {
                try assertFetch(request("uppercase:(name) == 'BOB'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_UPPERCASE(t0.ZNAME) = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("lowercase:(name) == 'bob'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_LOWERCASE(t0.ZNAME) = ?
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
                try assertFetch(request("length:(name) == 3"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate length:(name) == $value: the function 'length:'
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    bob
                    """
                }
                try assertFetch(request("canonical:(name) == 'elodie'"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE OCD_CANONICAL(t0.ZNAME) = ?
                    """
                } rows: {
                    """
                    name
                    elodie
                    Élodie
                    """
                }
            }

            @Test("TERNARY") func conditional() throws {
                try assertFetch(
                    request("TERNARY(age > 30, 'old', 'young') == 'old'"), in: firm.context,
                    columns: ["name", "age"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE CASE WHEN t0.ZAGE > ? THEN ? ELSE ? END = ?
                    """
                } rows: {
                    """
                    name   | age
                    Ada    | 36
                    bob    | 40
                    Élodie | 65
                    İpek   | 50
                    """
                }
                try assertFetch(
                    request("TERNARY(nickname == nil, name, nickname) BEGINSWITH 'b'"), in: firm.context,
                    columns: ["name", "nickname"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE (CASE WHEN t0.ZNICKNAME IS NULL THEN t0.ZNAME
                        ELSE t0.ZNICKNAME END >= ? AND CASE WHEN t0.ZNICKNAME IS NULL THEN t0.ZNAME ELSE
                        t0.ZNICKNAME END < ? AND (SUBSTR(CASE WHEN t0.ZNICKNAME IS NULL THEN t0.ZNAME ELSE
                        t0.ZNICKNAME END, 2, 1) < char(768) OR OCD_BEGINS_0(CASE WHEN t0.ZNICKNAME IS NULL THEN
                        t0.ZNAME ELSE t0.ZNICKNAME END, ?)))
                    """
                } rows: {
                    """
                    name | nickname
                    Bob  | bobby
                    bob  | nil
                    """
                }
            }

            @Test("FUNCTION") func method() throws {
                try assertFetch(request("FUNCTION(name, 'length') == 3"), in: firm.context, columns: ["name"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate FUNCTION(name, $value) == $value: the function 'FUNCTION'
                    """
                } rows: {
                    """
                    name
                    Ada
                    Bob
                    bob
                    """
                }
                try assertFetch(
                    request("FUNCTION(name, 'uppercaseString') == 'BOB'"), in: firm.context,
                    columns: ["name"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate FUNCTION(name, $value) == $value: the function 'FUNCTION'
                    """
                } rows: {
                    """
                    name
                    Bob
                    bob
                    """
                }
            }

            @Test("CAST") func cast() throws {
                try assertFetch(request("CAST(age, 'NSString') == '20'"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate CAST(age, $value) == $value: the function 'castObject:toType:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("born == CAST(86400, 'NSDate')"), in: firm.context, columns: ["name", "born"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBORN = ?
                    """
                } rows: {
                    """
                    name | born
                    Bob  | 86400.0 s
                    """
                }
            }

            @Test("now()") func now() throws {
                try assertFetch(request("born < now()"), in: firm.context, columns: ["name", "born"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.ZBORN < ?
                    """
                } rows: {
                    """
                    name   | born
                    Ada    | 0.0 s
                    Bob    | 86400.0 s
                    Élodie | -31579200.0 s
                    """
                }
            }

            @Test("[FIRST], [LAST] and [number]") func positions() throws {
                try assertFetch(request("age == {7, 36, 20}[FIRST]"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age == {$value, $value, $value}[FIRST]: an expression that only an object
                        can answer
                    """
                } rows: {
                    """
                    name   | age
                    Straße | 7
                    """
                }
                try assertFetch(request("age == {7, 36, 20}[LAST]"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age == {$value, $value, $value}[LAST]: an expression that only an object
                        can answer
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age == {7, 36, 20}[1]"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age == {$value, $value, $value}[1]: an expression that only an object can
                        answer
                    """
                } rows: {
                    """
                    name | age
                    Ada  | 36
                    """
                }
                try assertFetch(
                    request("projects.@count == 1 AND projects[FIRST] == %@", [firm.projects["Idle"]!]),
                    in: firm.context,
                    columns: ["name", "projects"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0 WHERE
                        (SELECT COUNT(*) FROM Z_2PROJECTS AS t2 JOIN ZPROJECT AS t1 ON t1.Z_PK = t2.Z_5PROJECTS
                        WHERE t2.Z_2MEMBERS = t0.Z_PK) = ?
                    in memory: predicate projects[FIRST] == $value: an expression that only an object can answer
                    """
                } rows: {
                    """
                    name    | projects
                    STRASSE | {Idle}
                    """
                }
            }

            @Test("noindex:") func noindex() throws {
                try assertFetch(request("noindex:(age) == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate noindex:(age) == $value: the function 'noindex:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }

            @Test("random:") func random() throws {
                try assertFetch(request("random:(1) == 0 AND age == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0 WHERE
                        t0.ZAGE = ?
                    in memory: predicate random:($value) == $value: the function 'random:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("randomn:(1) == 0 AND age == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0 WHERE
                        t0.ZAGE = ?
                    in memory: predicate randomn:($value) == $value: the function 'randomn:'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("random() >= 0 AND age == 20"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0 WHERE
                        t0.ZAGE = ?
                    in memory: predicate random() >= $value: the function 'random'
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }

            @Test("UNION, INTERSECT and MINUS") func collections() throws {
                try assertFetch(request("age IN {7} UNION {20}"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age IN {$value} UNION {$value}: an expression that only an object can
                        answer
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    Straße | 7
                    elodie | 20
                    """
                }
                try assertFetch(
                    request("age IN {7, 20} INTERSECT {20, 36}"), in: firm.context,
                    columns: ["name", "age"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age IN {$value, $value} INTERSECT {$value, $value}: an expression that only
                        an object can answer
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
                try assertFetch(request("age IN {7, 20} MINUS {7}"), in: firm.context, columns: ["name", "age"]) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate age IN {$value, $value} MINUS {$value}: an expression that only an object
                        can answer
                    """
                } rows: {
                    """
                    name   | age
                    Bob    | 20
                    elodie | 20
                    """
                }
            }

            @Test("FETCH") func fetch() throws {
                try assertFetch(
                    request("number == FETCH(%@, %@, YES)", [Firm.request("Project"), firm.context]),
                    in: firm.context, columns: ["name", "number"]
                ) {
                    """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBADGE, t0.ZBALANCE, t0.ZBORN, t0.ZBOSS,
                        t0.Z2_BOSS, t0.ZDEPARTMENT, t0.ZISACTIVE, t0.ZMARK, t0.ZNAME, t0.ZNICKNAME, t0.ZNUMBER,
                        t0.ZPHOTO, t0.ZSALARY, t0.ZSITE, t0.ZWEIGHT, t0.ZTITLE, t0.ZLEVEL FROM ZPERSON AS t0
                    in memory: predicate number == FETCH($value, $value, $value): the function 'FETCH'
                    """
                } rows: {
                    """
                    name   | number
                    Élodie | 3
                    """
                }
            }

            @Test("ANYKEY, tokenize:using: and distanceToLocation:fromLocation: are refused") func refused() throws {
                try assertRefused(request("ANYKEY == 'x'"), in: firm.context) { "ANYKEY" }
                try assertRefused(request("tokenize:using:(name, 'x') == 'y'"), in: firm.context) { "tokenize:using:" }
                try assertRefused(
                    request("distanceToLocation:fromLocation:(site, site) < 1"), in: firm.context
                ) { "distanceToLocation:fromLocation:" }
            }
        }
    }

    private func request(
        _ format: String, _ arguments: [Any] = [], of entity: String = "Person", with variables: [String: Any] = [:]
    ) -> NSFetchRequest<NSManagedObject> {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        let request = Firm.request(
            entity, variables.isEmpty ? predicate : predicate.withSubstitutionVariables(variables))
        // Faults: the columns are always the same, and only the condition matters here.
        request.includesPropertyValues = false
        return request
    }
#endif
