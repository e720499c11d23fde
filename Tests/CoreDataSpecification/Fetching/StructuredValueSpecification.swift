// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States conditions on members of values: of property lists, and of JSON, in every store, saved or unsaved.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Paths into values") struct StructuredValueSpecification {
        private func model() -> NSManagedObjectModel {
            let document = NSEntityDescription("Document")
            document.attribute("name", .stringAttributeType)
            document.attribute("list", .transformableAttributeType)
            document.attribute("json", .binaryDataAttributeType)
            let folder = NSEntityDescription("Folder")
            folder.attribute("title", .stringAttributeType)
            folder.relate("documents", .many, to: document, inverse: "folder", .one)
            return NSManagedObjectModel(document, folder)
        }

        private func stack(_ kind: StoreKind) throws -> Stack {
            let stack = try Stack(kind, model())
            let folder = stack.insert("Folder")
            folder.setValue("Home", forKey: "title")
            let values: [(String, [String: Any]?, String?)] = [
                (
                    "swift", ["tags": ["name": "swift", "rank": 3], "people": [["name": "Eve"], ["name": "Bob"]]],
                    #"{"tags": {"name": "swift", "rank": 3, "isNew": true}, "people": [{"name": "Eve"}, {"name": "Bob"}]}"#
                ),
                (
                    "other", ["tags": ["name": "c", "rank": 1.5]],
                    #"{"tags": {"name": "c", "rank": 1.5, "isNew": false}}"#
                ),
                ("text", ["tags": "swift"], #"{"tags": "swift"}"#), ("null", [:], #"{"tags": null}"#),
                ("broken", [:], #"{"tags": {"name": "swift""#), ("nothing", nil, nil), ("fragment", [:], "7"),
            ]
            for (name, list, json) in values {
                let document = stack.insert("Document")
                document.setValue(name, forKey: "name")
                document.setValue(list.map { $0 as NSDictionary }, forKey: "list")
                document.setValue(json.map { Data($0.utf8) }, forKey: "json")
                document.setValue(name == "swift" ? folder : nil, forKey: "folder")
            }
            return stack
        }

        private func names(_ format: String, _ stack: Stack, entity: String = "Document") throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format)
            let key = entity == "Document" ? "name" : "title"
            return try stack.context.fetch(request).compactMap { $0.value(forKey: key) as? String }.sorted()
        }

        @Test("a member is compared by its kind, and a value without it has nil", arguments: StoreKind.all)
        func members(kind: StoreKind) throws {
            let stack = try stack(kind)
            for isSaved in [false, true] {
                if isSaved {
                    try stack.context.save()
                    stack.context.reset()
                }
                for attribute in ["list", "json"] {
                    let path = "\(attribute).tags"
                    #expect(try names("\(path).name == 'swift'", stack) == ["swift"])
                    #expect(try names("\(path).name BEGINSWITH[c] 'S' AND name != 'x'", stack) == ["swift"])
                    #expect(try names("\(path).rank >= 1.5", stack) == ["other", "swift"])
                    #expect(try names("\(path).rank == 3", stack) == ["swift"])
                    #expect(try names("\(path) == 'swift'", stack) == ["text"])
                    #expect(try names("\(path).name == 3", stack) == [])
                    #expect(
                        try names("\(path).name == nil", stack)
                            == ["broken", "fragment", "nothing", "null", "text"])
                    #expect(try names("NOT \(path).rank > 2", stack).contains("other"))
                    #expect(try names("ANY \(attribute).people.name == 'Eve'", stack) == ["swift"])
                    #expect(try names("\(attribute).missing.name == 'x'", stack) == [])
                    #expect(try names("ANY documents.\(path).name == 'swift'", stack, entity: "Folder") == ["Home"])
                    #expect(
                        try names("SUBQUERY(documents, $d, $d.\(path).rank > 2).@count == 1", stack, entity: "Folder")
                            == ["Home"])
                    #expect(try names("folder.title == 'Home' AND \(path).rank < 4", stack) == ["swift"])
                }
                #expect(try names("json.tags.isNew == YES", stack) == ["swift"])
            }
        }

        @Test("a store evaluates it in memory and says so, after the conditions that SQL answers")
        func explanation() throws {
            let stack = try stack(.sqlite)
            try stack.context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Document")
            request.predicate = NSPredicate(format: "name == 'swift' AND json.tags.rank > 2")
            let store = try #require(try request.explain(in: stack.context).stores.first)
            #expect(store.sql?.contains("ZNAME = ?") == true)
            #expect(store.inMemory.map(\.reason) == ["a path into the values of 'json'"])
        }

        @Test("orders and columns by a path are errors that name it")
        func errors() throws {
            let stack = try stack(.sqlite)
            let sorted = NSFetchRequest<NSManagedObject>(entityName: "Document")
            sorted.sortDescriptors = [NSSortDescriptor(key: "json.tags.rank", ascending: true)]
            let order = #expect(throws: CocoaError.self) { try stack.context.fetch(sorted) }
            #expect(order?.localizedDescription.contains("json.tags.rank") == true)
            let columns = NSFetchRequest<NSDictionary>(entityName: "Document")
            columns.resultType = .dictionaryResultType
            columns.propertiesToFetch = ["list.tags"]
            #expect(throws: CocoaError.self) { try stack.context.fetch(columns) }
            let text = NSFetchRequest<NSManagedObject>(entityName: "Document")
            text.predicate = NSPredicate(format: "name.first == 'x'")
            #expect(throws: CocoaError.self) { try stack.context.fetch(text) }
        }

        @Test("random values have the answers of a loop over the objects", arguments: StoreKind.all)
        func random(kind: StoreKind) throws {
            var random = SeededGenerator(seed: 11)
            let stack = try Stack(kind, model())
            func value(_ depth: Int) -> Any {
                switch Int.random(in: 0..<(depth > 2 ? 4 : 6), using: &random) {
                case 0: return Int.random(in: -3..<4, using: &random)
                case 1: return Double(Int.random(in: -6..<7, using: &random)) / 2
                case 2: return ["a", "b", "é"].randomElement(using: &random) ?? ""
                case 3: return random.chance(0.5)
                default:
                    var members: [String: Any] = [:]
                    for key in ["x", "y", "z"] where random.chance(0.7) { members[key] = value(depth + 1) }
                    return members
                }
            }
            for number in 0..<60 {
                let document = stack.insert("Document")
                document.setValue("\(number)", forKey: "name")
                let members = ["x": value(0), "y": value(0)]
                document.setValue(members as NSDictionary, forKey: "list")
                document.setValue(try JSONSerialization.data(withJSONObject: members), forKey: "json")
                if number == 40 { try stack.context.save() }
            }
            for path in ["x", "x.y", "y.z", "x.y.z", "y.x"] {
                for condition in ["> 0", "== 1", "<= 0.5", "== 'a'", "!= 'a'", "== nil", "BEGINSWITH 'é'"] {
                    let (list, json) = (
                        try names("list.\(path) \(condition)", stack), try names("json.\(path) \(condition)", stack)
                    )
                    #expect(list == json, "\(path) \(condition)")
                    let expected = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Document"))
                        .filter { object in
                            var value: Any? = object.value(forKey: "list")
                            for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
                            return NSPredicate(format: "value \(condition)").evaluate(with: ["value": value ?? NSNull()]
                            )
                        }
                    #expect(list == expected.compactMap { $0.value(forKey: "name") as? String }.sorted())
                }
            }
        }
    }
#endif
