// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that requests with unknown names, or with impossible comparisons, throw errors with an explanation.

// Apple's framework raises Objective-C exceptions here.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Wrong requests") struct RequestErrorSpecification {
        private func failure(_ body: () throws -> Void) -> NSError? {
            do {
                try body()
                return nil
            } catch {
                return error as NSError
            }
        }

        private func expect(
            _ names: [String], code: Int = NSCoreDataError, _ location: SourceLocation = #_sourceLocation,
            when body: () throws -> Void
        ) {
            let error = failure(body)
            #expect(error?.domain == NSCocoaErrorDomain, sourceLocation: location)
            #expect(error?.code == code, sourceLocation: location)
            let sentence = error?.localizedDescription ?? ""
            for name in names {
                #expect(sentence.contains(name), "\(sentence) should name \(name)", sourceLocation: location)
            }
        }

        @Test("an unknown key in a predicate is named, with the entity", arguments: StoreKind.all)
        func unknownKeys(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            for (format, names) in [
                ("nubmer == 1", ["nubmer", "Person"]), ("department.flor == 1", ["flor", "Department"]),
                ("ANY projects.cots > 1", ["cots", "Project"]), ("name.length > 1", ["length"]),
                ("SUBQUERY(projects, $p, $p.cots > 1).@count > 0", ["cots", "Project"]),
                ("age == number + wieght", ["wieght", "Person"]),
                ("projects.@total.cost > 1", ["@total"]), ("NOT (x IN {1, 2})", ["'x'", "Person"]),
                ("title == 'x'", ["title", "Person"]),
            ] {
                let request = Firm.request("Person", NSPredicate(format: format))
                expect(names) { _ = try firm.context.fetch(request) }
                expect(names) { _ = try firm.context.count(for: request) }
            }
            #expect(try firm.context.count(for: Firm.request()) == 8)
        }

        @Test("an expression description without an expression is named", arguments: StoreKind.all)
        func missingExpressions(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let empty = NSExpressionDescription()
            empty.name = "oldest"
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", empty]
            expect(["'oldest'", "no expression"]) { _ = try firm.context.fetch(request) }
            request.propertiesToFetch = ["name"]
            request.propertiesToGroupBy = ["name", empty]
            expect(["'oldest'", "no expression", "Person"]) { _ = try firm.context.fetch(request) }
            // Without an expression it means the property of its name.
            request.propertiesToGroupBy = nil
            empty.name = "projects"
            request.propertiesToFetch = [empty]
            expect(["projects", "Person", "to-many"]) { _ = try firm.context.fetch(request) }
            empty.expression = CoreData.NSExpression(forKeyPath: "boss.projects")
            expect(["boss.projects", "Person", "to-many"]) { _ = try firm.context.fetch(request) }
        }

        @Test("an unknown key in a sort descriptor is named, with the entity", arguments: StoreKind.all)
        func unknownSortKeys(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            expect(["nmae", "Person"]) { _ = try firm.context.fetch(Firm.request(sortedBy: "nmae")) }
            expect(["nmae", "Department"]) {
                _ = try firm.context.fetch(Firm.request(sortedBy: "department.nmae"))
            }
        }

        @Test("the name that was meant is guessed", arguments: StoreKind.all)
        func hints(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            for (format, hint) in [
                ("nubmer == 1", "Did you mean 'number'?"), ("NAME == 'x'", "Did you mean 'name'?"),
                ("department.flor == 1", "Did you mean 'floor'?"), ("ANY project.cost > 1", "Did you mean 'projects'?"),
            ] {
                expect([hint]) { _ = try firm.context.fetch(Firm.request("Person", NSPredicate(format: format))) }
            }
            expect(["Did you mean 'Person'? Its entities are "]) { _ = try firm.context.fetch(Firm.request("Persons")) }
            let far = failure { _ = try firm.context.fetch(Firm.request("Xylophone")) }
            #expect(far?.localizedDescription.contains("mean") == false)
        }

        @Test(
            "comparisons that can never hold are named: entity, key path, and its type",
            arguments: StoreKind.all)
        func wrongTypes(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let cases: [(format: String, arguments: [Any], names: [String])] = [
                ("born == 'x'", [], ["Person.born", "dates", "String"]), ("born < 5", [], ["Person.born", "dates"]),
                ("5 < boss.born", [], ["Person.boss.born", "dates"]), ("badge == 'x'", [], ["Person.badge", "UUIDs"]),
                ("photo == 5", [], ["Person.photo", "data"]), ("age > %@", [Date()], ["Person.age", "Date"]),
                ("name == %@", [UUID()], ["Person.name", "UUID"]),
                ("ANY department.people.born == 'x'", [], ["Person.department.people.born"]),
                ("department == 5", [], ["Person.department", "'Department'", "floor"]),
                ("boss == 'Ada'", [], ["Person.boss", "'Person'", "name"]),
                ("projects == 5", [], ["Person.projects", "ANY"]), ("projects > 1", [], ["projects.@count"]),
                ("projects.name == 'Apollo'", [], ["Person.projects.name", "ANY"]),
                ("department.people.name BEGINSWITH 'A'", [], ["Person.department.people.name", "ANY"]),
                ("name == %@", [Data()], ["Person.name", "text", "data in photo"]),
                ("name < %@", [Date()], ["Person.name", "text"]),
                ("%@ == boss.name", [Date()], ["Person.boss.name", "text"]),
                ("name BEGINSWITH %@", [Date()], ["Person.name", "text"]),
                ("site == 5", [], ["Person.site", "URLs"]),
                ("site == 'https://example.org/bob'", [], ["Person.site", "URLs", "String"]),
                ("site CONTAINS 'example'", [], ["Person.site", "URLs"]),
                ("site == %@", [Date()], ["Person.site", "URLs"]),
                ("born IN {'x', 'y'}", [], ["Person.born", "dates"]),
                ("name IN %@", [["a", Date()]], ["Person.name", "text"]),
                ("badge IN %@", [[1, 2]], ["Person.badge", "UUIDs"]),
                ("badge IN {'x'}", [], ["Person.badge", "UUIDs", "String"]),
                ("department IN {1, 2}", [], ["'Department'", "floor"]),
                ("projects CONTAINS 'x'", [], ["Person.projects", "'Project'"]),
                ("'x' IN projects", [], ["Person.projects"]),
                ("born BETWEEN {1, 5}", [], ["Person.born", "dates"]),
                ("age BETWEEN {1, 2, 3}", [], ["Person.age", "3 bounds"]),
                ("age BETWEEN {1}", [], ["Person.age", "one bound"]),
                ("name BETWEEN %@", [[Date(), Date()]], ["Person.name", "text"]),
                ("born CONTAINS 'x'", [], ["Person.born", "dates", "name"]),
                ("badge LIKE 'A*'", [], ["Person.badge", "UUIDs"]),
                ("department BEGINSWITH 'x'", [], ["Person.department", "'Department'", "name"]),
                ("SUBQUERY(projects, $p, $p.name == %@).@count > 0", [Date()], ["Project.name", "text", "Date"]),
                ("SUBQUERY(reports, $r, $r.born > 'x').@count > 0", [], ["Person.born", "dates"]),
                (
                    "SUBQUERY(reports, $r, SUBQUERY($r.projects, $p, $p.cots > 1).@count > 0).@count > 0", [],
                    ["cots", "Project"]
                ),
                ("sum:(projects.name) > 1", [], ["sum:", "Person.projects.name", "text", "cost"]),
                ("projects.@sum.name > 1", [], ["sum:", "projects.@sum.name", "text", "cost"]),
                ("projects.@avg.members > 1", [], ["average:", "objects"]),
                ("abs:(name) > 1", [], ["abs:", "Person.name", "age"]),
                ("uppercase:(age) == 'X'", [], ["uppercase:", "Person.age", "numbers", "name"]),
                ("sqrt:(born) > 1", [], ["sqrt:", "Person.born", "dates"]),
            ]
            for (format, arguments, names) in cases {
                let request = Firm.request("Person", NSPredicate(format: format, argumentArray: arguments))
                expect(names) { _ = try firm.context.fetch(request) }
                expect(names) { _ = try firm.context.count(for: request) }
            }
        }

        @Test("nil, objects, ids and collections are valid in place of objects", arguments: StoreKind.all)
        func rightTypes(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let research = firm.department("Research")
            for (format, arguments, count) in [
                ("department == nil", [], 2), ("department == %@", [research], 2),
                ("department == %@", [research.objectID], 2), ("department IN %@", [[research]], 2),
                ("'Apollo' IN projects.name", [], 3), ("ANY projects.name == 'Apollo'", [], 3),
                ("born == nil", [], 5), ("age == '20'", [], nil),
                ("site == %@", [URL(string: "https://example.org/bob") as Any], 1),
                ("age IN {20, nil}", [], nil), ("age LIKE '2*'", [], nil), ("projects CONTAINS %@", [research], 0),
                ("department.people == %@", [NSSet()], nil),
                ("SUBQUERY(projects, $p, $p.cost > 50).@count == 1", [], nil), ("projects.@sum.cost > 1", [], nil),
                ("max:(projects.name) == 'x'", [], nil),
            ] as [(String, [Any], Int?)] {
                let request = Firm.request("Person", NSPredicate(format: format, argumentArray: arguments))
                let found = try firm.context.count(for: request)
                #expect(found == count ?? found, "\(format)")
            }
        }

        @Test("results cannot be sorted through a to-many relationship", arguments: StoreKind.all)
        func toManyOrder(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            for key in ["projects", "projects.name", "department.people.age"] {
                expect([key, "Person", "to-many"]) { _ = try firm.context.fetch(Firm.request(sortedBy: key)) }
            }
        }

        @Test("unknown keys in other places of a request are named", arguments: StoreKind.all)
        func otherPlaces(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let prefetching = Firm.request()
            prefetching.relationshipKeyPathsForPrefetching = ["departmnt"]
            expect(["departmnt", "Person"]) { _ = try firm.context.fetch(prefetching) }
            let attribute = Firm.request()
            attribute.relationshipKeyPathsForPrefetching = ["name"]
            expect(["name"]) { _ = try firm.context.fetch(attribute) }
            expect(["name"]) { _ = try firm.context.count(for: attribute) }
            let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["nmae"]
            expect(["nmae", "Person"]) { _ = try firm.context.fetch(rows) }
            rows.propertiesToFetch = ["name"]
            rows.propertiesToGroupBy = ["nmae"]
            expect(["nmae", "Person"]) { _ = try firm.context.fetch(rows) }
            rows.propertiesToGroupBy = nil
            rows.propertiesToFetch = ["projects"]
            expect(["projects", "Person"]) { _ = try firm.context.fetch(rows) }
            rows.propertiesToFetch = [7]
            expect(["7"]) { _ = try firm.context.fetch(rows) }
            rows.propertiesToFetch = ["name"]
            rows.havingPredicate = NSPredicate(format: "nmae == 1")
            rows.propertiesToGroupBy = ["name"]
            expect(["nmae"]) { _ = try firm.context.fetch(rows) }
        }

        @Test("an unknown entity is named", arguments: StoreKind.all)
        func unknownEntity(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            expect(["Persn"]) { _ = try firm.context.fetch(Firm.request("Persn")) }
            expect(["Persn"]) { _ = try firm.context.count(for: Firm.request("Persn")) }
            expect(["entity"]) { _ = try firm.context.fetch(NSFetchRequest<NSManagedObject>()) }
        }

        @Test("results of another type than the request's are an error", arguments: StoreKind.all)
        func wrongResultType(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            expect(["Person"]) { _ = try firm.context.fetch(request) }
            let books = NSFetchRequest<Book>(entityName: "Person")
            expect(["Person"]) { _ = try firm.context.fetch(books) }
        }

        @Test("an impossible comparison is an error or no match, and never a trap", arguments: StoreKind.all)
        func senseless(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let formats = [
                "name == 5", "age == 'x'", "age BEGINSWITH 'x'", "age MATCHES '('", "name MATCHES '['", "born == 'x'",
                "born < 5", "age > 'x'",
                "badge == 'x'", "photo < 5", "department == 5", "department == 'x'", "department < 5",
                "name == department",
                "department CONTAINS 'x'", "ANY name == 'x'", "projects == nil", "projects == 5",
                "projects.name == 'x'", "projects > 1",
                "age BETWEEN {1}", "age BETWEEN {1, 2, 3}", "age BETWEEN 5", "name IN 5", "age IN name", "name IN name",
                "$unbound == age",
                "age == $unbound", "SUBQUERY(name, $x, TRUEPREDICATE).@count > 0", "isActive == 'YES'",
                "isActive BEGINSWITH 'x'",
                "SELF == 5", "SELF == 'x'", "SELF BEGINSWITH 'x'", "SELF > 1", "age / 0 == 1", "age + name == 5",
                "name + name == 'x'", "nil == nil",
                "1 == 1", "1 == 2", "'a' == 'a'",
                "name == nil == nil".replacingOccurrences(of: " == nil == nil", with: " == nil"),
                "age == 99999999999999999999999", "balance == 'x'", "site == 'x'", "site CONTAINS 'example'",
                "badge CONTAINS 'A'",
                "department.people.name == 'x'", "ANY department.people.name == 'Ada'", "ALL department.people.age > 1",
                "FUNCTION(name, 'foo') == 5", "uppercase(name) == 'ADA'", "name.@count == 3",
                "CAST(age, 'NSString') == '20'",
                "CAST(name, 'Nonsense') == 1", "projects[0].name == 'x'", "entity == 5", "age & 1 == 1", "now() > born",
                "objectID == 5",
            ]
            for format in formats {
                guard let predicate = try? NSPredicate.parsing(format) else { continue }
                let error = failure { _ = try firm.context.fetch(Firm.request("Person", predicate)) }
                #expect([nil, NSCocoaErrorDomain].contains(error?.domain), "\(format): \(String(describing: error))")
                firm.person("Ada").setValue(2, forKey: "mark")
                let pending = failure { _ = try firm.context.fetch(Firm.request("Person", predicate)) }
                #expect(
                    [nil, NSCocoaErrorDomain].contains(pending?.domain), "\(format): \(String(describing: pending))")
                firm.context.rollback()
                #expect(try firm.context.count(for: Firm.request()) == 8, "\(format)")
            }
        }

        /// Decided by no call on a Mac: `NSPredicate.parsing(_:)` is ours. `NSPredicate(format:)` raises an exception
        /// for the same texts.
        @Test("text that is no predicate is refused with the place", .tags(.assumed))
        func wrongFormats() {
            for format in [
                "", "age", "age ==", "== 5", "age == 5 AND", "(age == 5", "age == 5)", "name BEGINSWITH",
                "age BETWEEN {1,", "ANY", "NOT",
                "age === 5", "name == 'x", "name LIKE[x] 'y'", "%@ == 5", "%K == %@", "SUBQUERY(a, b)", "age == 5 5",
                "@", "\u{0}", "💥", "a.b. == 1",
                "$ == 5", "{", "age IN {1, 2", "SELF SELF", "TRUEPREDICATE TRUEPREDICATE", "\"", "age == 0x",
                "age == #", "a == b == ",
            ] {
                let error = failure { _ = try NSPredicate.parsing(format) }
                #expect(error != nil, "'\(format)' was read")
            }
            let deep = String(repeating: "(", count: 100_000) + "a == 1" + String(repeating: ")", count: 100_000)
            _ = failure { _ = try NSPredicate.parsing(deep) }
            _ = failure { _ = try NSPredicate.parsing(String(repeating: "NOT ", count: 100_000) + "a == 1") }
        }
    }
#endif
