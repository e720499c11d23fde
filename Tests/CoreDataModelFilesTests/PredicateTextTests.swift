// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Predicate text in archives comes back in one spelling.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Predicate text in models") struct PredicateTextTests {
    static let spellings = [
        ("a = 1", "a == 1"),
        ("booleanAttribute == 1 AND floatAttribute > 5", "booleanAttribute == 1 AND floatAttribute > 5"),
        ("humanName == $humanName", "humanName == $humanName"),
        ("smilieText = $FETCH_SOURCE.text", "smilieText == $FETCH_SOURCE.text"),
        ("lastName LIKE \"Duck*\"", "lastName LIKE \"Duck*\""),
        ("flag = YES or not b <> nil && c >= -3.5", "flag == 1 OR ((NOT b != nil) AND c >= -3.5)"),
        ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("(a + b) * 2 > c", "(a + b) * 2 > c"),
        ("name BEGINSWITH[cd] 'x' AND ANY children.age BETWEEN {1, 2}", nil),
        ("NONE tags.name IN {\"a\", \"b\"}", "NOT ANY tags.name IN {\"a\", \"b\"}"),
        ("SUBQUERY(items, $x, $x.price > 3).@count > 0", "SUBQUERY(items, $x, $x.price > 3).@count > 0"),
        ("#size == 1 AND list[FIRST] == list[3]", "#size == 1 AND list[FIRST] == list[3]"),
        ("date > CAST(284000400.000000, \"NSDate\")", "date > CAST(284000400.000000, \"NSDate\")"),
        ("SELF MATCHES \"\\\\d\\\"\"", "SELF MATCHES \"\\\\d\\\"\""),
        ("TRUEPREDICATE", "TRUEPREDICATE"), ("a != <null>", "a != nil"),
        ("TERNARY(a == 1, b, c) == FUNCTION(d, \"e:\", 1)", "TERNARY(a == 1, b, c) == FUNCTION(d, \"e:\", 1)"),
        ("count(a) == sum:(b)", "count:(a) == sum:(b)"),
        ("a UNION b == c ** 2", "a UNION b == c ** 2"),
        ("id == CAST(\"CBE5D1E7-FBD6-43B3-A714-000000000001\", \"NSUUID\")", nil),
    ]

    @Test("text has one spelling, which is its own, and survives the archive", arguments: spellings)
    func spelling(text: String, expected: String?) throws {
        let canonical = try #require(ModelPredicate.canonical(predicate: text))
        #expect(canonical == expected ?? canonical)
        #expect(ModelPredicate.canonical(predicate: canonical) == canonical)
        var builder = KeyedArchiveBuilder()
        let node = try PredicateEncoder.predicate(text, &builder)
        let root = builder.object("Holder", ["predicate": node])
        let archive = try KeyedArchive(builder.data(root: root))
        let read = try PredicateDecoder(archive: archive).predicate(try archive.root().fields["predicate"])
        #expect(try ModelPredicate.text(of: try #require(read)) == canonical)
    }

    @Test("derivations keep their text", arguments: ["now:()", "now()", "messages.@count", "canonical:(name)"])
    func derivations(text: String) {
        #expect(ModelPredicate.canonical(expression: text) == text)
    }

    @Test(
        "text that is no predicate is refused",
        arguments: [
            "", "a", "a ==", "a == b c", "== 3", "(a == 1", "a == 'x", "a LIKE[q] 'x'", "$ == 1", "a == %@",
            "a == 1e999",
            String(repeating: "(", count: 100_000), String(repeating: "NOT ", count: 100_000) + "a == 1",
            String(repeating: "{", count: 100_000), "a == " + String(repeating: "-", count: 100_000) + "1",
            "a == " + Array(repeating: "2", count: 10_000).joined(separator: " ** "),
        ])
    func refusals(text: String) {
        #expect(ModelPredicate.canonical(predicate: text) == nil)
    }

    @Test("predicates in the fixtures' stores read as Apple's framework spells them", .needsFixtures)
    func fixtures() throws {
        let document = try ModelCaches.document("alemar11_CoreDataPlus__SampleModel2_V1.sqlite")
        let properties = document.entities.flatMap(\.fetchedProperties)
        #expect(
            properties.map(\.request.predicateFormat) == [
                "authorAlias == $FETCH_SOURCE.alias AND comment CONTAINS[c] $FETCHED_PROPERTY.userInfo.search",
                "authorAlias == $FETCH_SOURCE.alias",
            ])
        let attributes = document.entities.flatMap(\.attributes)
        #expect(attributes.first { $0.derivationExpression != nil }?.derivationExpression == "count:(pages)")
        let title = attributes.first { $0.traits.name == "title" }
        #expect(title?.traits.validations.map(\.format) == ["length >= 3 AND length <= 50", "SELF CONTAINS \"title\""])
    }
}
