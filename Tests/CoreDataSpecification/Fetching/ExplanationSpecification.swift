// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the explanation of how a request would be executed.

// Apple's framework has no such feature.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Explaining a fetch") struct ExplanationSpecification {
        private func explained(
            _ firm: Firm, _ format: String? = nil, in context: NSManagedObjectContext? = nil,
            _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
        ) throws -> FetchExplanation {
            let request = Firm.request("Person", format.map { NSPredicate(format: $0) }, sortedBy: "number")
            change(request)
            return try request.explain(in: context ?? firm.context)
        }

        @Test("the explanation has the SQL, the types of its values and the plan for it")
        func sql() throws {
            let firm = try Firm(in: .sqlite)
            let explanation = try explained(firm, "age > 30 AND name == 'Ada' AND salary < 1.5")
            let store = try #require(explanation.stores.first)
            let sql = try #require(store.sql)
            #expect(sql.hasPrefix("SELECT "))
            #expect(sql.contains("ZAGE > ?"))
            #expect(sql.contains("ORDER BY"))
            #expect(store.valueTypes == [.integer, .text, .real])
            #expect(!store.queryPlan.isEmpty)
            #expect(store.queryPlan[0].contains("t0"))
            #expect(store.inMemory.isEmpty)
            #expect(explanation.isAnsweredBySQL)
            #expect(explanation.contextWork.isEmpty)
            #expect(explanation.entityName == "Person")
            #expect(store.identifier == firm.stack.store.identifier)
            #expect(store.type == NSSQLiteStoreType)
        }

        @Test("the description has all of it, and no value")
        func description() throws {
            let firm = try Firm(in: .sqlite)
            let explanation = try explained(firm, "name == 'secret' AND projects[0].name == 'secret'")
            let text = explanation.description
            let store = try #require(explanation.stores.first)
            for part in [store.identifier, store.type, store.sql ?? "-", "values: text", "plan: ", "in memory: "] {
                #expect(text.contains(part), "\(text) should have \(part)")
            }
            #expect(!text.contains("secret"))
        }

        @Test("a part of the predicate that SQL cannot say is named, with the reason; the rest is SQL")
        func remainder() throws {
            let firm = try Firm(in: .sqlite)
            let format = "age > 30 AND projects[0].name == 'Apollo'"
            let explanation = try explained(firm, format) { $0.fetchLimit = 3 }
            let store = try #require(explanation.stores.first)
            #expect(store.sql?.contains("ZAGE > ?") == true)
            #expect(store.sql?.contains("LIMIT") == false)
            #expect(store.valueTypes == [.integer])
            #expect(store.inMemory.map(\.kind) == [.predicate])
            #expect(store.inMemory.first?.subject.contains("projects[0]") == true)
            #expect(store.inMemory.first?.reason.isEmpty == false)
            #expect(!explanation.isAnsweredBySQL)
        }

        @Test("a store without SQL explains its work in memory")
        func inMemory() throws {
            let firm = try Firm(in: .inMemory)
            let explanation = try explained(firm, "age > 30")
            let store = try #require(explanation.stores.first)
            #expect(store.sql == nil)
            #expect(store.valueTypes.isEmpty)
            #expect(store.queryPlan.isEmpty)
            #expect(store.inMemory.map(\.kind) == [.predicate, .order])
            #expect(store.inMemory.map(\.subject) == ["age > $value", "number"])
            #expect(store.type == NSInMemoryStoreType)
            #expect(try explained(firm).stores[0].inMemory.map(\.kind) == [.order])
        }

        @Test("ids, numbers and dictionaries are explained in the requested form")
        func results() throws {
            let firm = try Firm(in: .sqlite)
            let number = try explained(firm) { $0.resultType = .countResultType }
            #expect(number.stores[0].sql?.contains("COUNT(") == true)
            let ids = try explained(firm) { $0.resultType = .managedObjectIDResultType }
            #expect(ids.stores[0].sql?.contains("ZNAME") == false)
            let rows = try explained(firm) {
                $0.resultType = .dictionaryResultType
                $0.propertiesToFetch = ["age"]
                $0.propertiesToGroupBy = ["age"]
                $0.sortDescriptors = nil
            }
            #expect(rows.stores[0].sql?.contains("GROUP BY") == true)
            let median = NSExpressionDescription()
            median.name = "median"
            median.expression = NSExpression(forFunction: "median:", arguments: [NSExpression(forKeyPath: "age")])
            median.expressionResultType = .doubleAttributeType
            let shaped = try explained(firm) {
                $0.resultType = .dictionaryResultType
                $0.propertiesToFetch = [median]
                $0.sortDescriptors = nil
            }
            #expect(shaped.isAnsweredBySQL || shaped.stores[0].inMemory.map(\.kind) == [.dictionaries])
        }

        @Test(
            "unsaved changes, code, batches and prefetching are named as the context's work", arguments: StoreKind.all)
        func contextWork(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let read = try explained(firm) {
                $0.fetchBatchSize = 20
                $0.relationshipKeyPathsForPrefetching = ["department"]
            }
            #expect(read.contextWork.count == 2)
            #expect(read.contextWork[0].contains("20"))
            #expect(read.contextWork[1].contains("'department'"))
            firm.person("Ada").setValue(1, forKey: "mark")
            let changed = try explained(firm, "age > 1") { $0.fetchLimit = 2 }
            #expect(changed.contextWork.count == 1)
            #expect(changed.contextWork[0].contains("one object with unsaved changes"))
            #expect(changed.stores[0].sql?.contains("LIMIT") != true)
            #expect(firm.context.hasChanges)
            firm.context.rollback()
            let block = Firm.request("Person", NSPredicate { _, _ in true })
            #expect(try block.explain(in: firm.context).contextWork.first?.contains("code") == true)
        }

        @Test(
            "a context with a parent explains the questions to the stores, and the part of the parent",
            arguments: StoreKind.all)
        func children(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            let parent = firm.stack.newContext(.privateQueueConcurrencyType)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            func explanation() throws -> FetchExplanation {
                try child.performAndWait {
                    try Firm.request("Person", NSPredicate(format: "age > 30")).explain(in: child)
                }
            }
            #expect(try explanation().contextWork.isEmpty)
            #expect(try explanation().stores.count == 1)
            parent.performAndWait {
                let new = NSEntityDescription.insertNewObject(forEntityName: "Person", into: parent)
                new.setValue("New", forKey: "name")
            }
            #expect(try explanation().contextWork.count == 1)
        }

        @Test("wrong names throw as they do when fetching", arguments: StoreKind.all)
        func wrongNames(kind: StoreKind) throws {
            let firm = try Firm(in: kind)
            #expect(throws: CocoaError.self) { try Firm.request("Persn").explain(in: firm.context) }
            #expect(throws: CocoaError.self) { try explained(firm, "aeg == 1") }
        }
    }
#endif
