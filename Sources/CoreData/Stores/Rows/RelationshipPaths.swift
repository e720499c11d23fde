// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The relationships that evaluating a fetch in memory will follow.

import CoreDataFoundation

/// A tree of relationships, in which key paths share their common beginning.
package struct RelationshipPaths {
    package struct Branch {
        package let step: PathStep
        package var rest: RelationshipPaths
    }

    package private(set) var branches: [Branch] = []
    package var isEmpty: Bool { branches.isEmpty }

    package init(_ predicate: PredicateSyntax, from layout: EntityLayout, in model: ModelLayout) {
        var collector = RelationshipCollector(model: model)
        collector.collect(predicate, layout)
        self = collector.found
    }

    package init(_ expression: ExpressionSyntax, from layout: EntityLayout, in model: ModelLayout) {
        var collector = RelationshipCollector(model: model)
        collector.collect(expression, layout)
        self = collector.found
    }

    package init(_ sorting: [PreparedFetch.Sort], in model: ModelLayout) {
        for sort in sorting { add(sort.keyPath.steps[...], model) }
    }

    package init(_ request: DictionaryRequest, from layout: EntityLayout, in model: ModelLayout) {
        var collector = RelationshipCollector(model: model)
        for column in request.columns {
            switch column.value {
            case .property(let steps), .datePart(let steps, _): collector.found.add(steps[...], model)
            case .expression(let expression): collector.collect(expression, layout)
            case .objectID: break
            }
        }
        for group in request.groupBy { collector.found.add(group.path[...], model) }
        if let having = request.having { collector.collect(having, layout) }
        self = collector.found
    }

    fileprivate init() {}

    /// Adds the relationships at the beginning of the steps.
    fileprivate mutating func add(_ steps: ArraySlice<PathStep>, _ model: ModelLayout) {
        guard let step = steps.first else { return }
        let kind = model.layouts[step.layoutIndex][step.slot].kind
        guard kind == .reference || kind == .toMany else { return }
        if let index = branches.firstIndex(where: { $0.step == step }) {
            branches[index].rest.add(steps.dropFirst(), model)
        } else {
            var branch = Branch(step: step, rest: RelationshipPaths())
            branch.rest.add(steps.dropFirst(), model)
            branches.append(branch)
        }
    }
}

/// Walks through predicates. Unknown names are skipped, because the evaluation reports them.
private struct RelationshipCollector {
    let model: ModelLayout
    var found = RelationshipPaths()
    /// The paths of the variables of subqueries.
    private var variables: [String: [PathStep]] = [:]

    init(model: ModelLayout) { self.model = model }

    mutating func collect(_ predicate: PredicateSyntax, _ layout: EntityLayout) {
        switch predicate {
        case .constant, .block: break
        case .and(let parts), .or(let parts): for part in parts { collect(part, layout) }
        case .not(let part): collect(part, layout)
        case .comparison(let comparison):
            collect(comparison.left, layout)
            collect(comparison.right, layout)
        }
    }

    mutating func collect(_ expression: ExpressionSyntax, _ layout: EntityLayout) {
        switch expression {
        case .keyPath(let path): add(path, after: [], layout)
        case .keyPathOn(.variable(let name), let path):
            if let steps = variables[name] { add(path, after: steps, layout) }
        case .keyPathOn(.evaluatedObject, let path): add(path, after: [], layout)
        case .keyPathOn(let base, _), .index(let base, _): collect(base, layout)
        case .function(_, let arguments), .aggregate(let arguments), .block(_, let arguments):
            for argument in arguments { collect(argument, layout) }
        case .subquery(let collection, let variable, let predicate):
            collect(collection, layout)
            let outer = variables
            variables[variable] = steps(of: collection, layout)
            collect(predicate, layout)
            variables = outer
        case .setOperation(_, let one, let other):
            collect(one, layout)
            collect(other, layout)
        case .conditional(let condition, let one, let other):
            collect(condition, layout)
            collect(one, layout)
            collect(other, layout)
        case .constant, .evaluatedObject, .variable, .anyKey: break
        }
    }

    private mutating func add(_ path: String, after steps: [PathStep], _ layout: EntityLayout) {
        found.add((steps + self.steps(path, after: steps, layout))[...], model)
    }

    private func steps(of collection: ExpressionSyntax, _ layout: EntityLayout) -> [PathStep]? {
        switch collection {
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path): return steps(path, after: [], layout)
        case .keyPathOn(.variable(let name), let path):
            return variables[name].map { $0 + steps(path, after: $0, layout) }
        default: return nil
        }
    }

    private func steps(_ path: String, after steps: [PathStep], _ layout: EntityLayout) -> [PathStep] {
        let paths = KeyPathResolver(model: model)
        guard let start = paths.destination(of: steps, from: layout),
            let resolved = try? paths.resolve(path, from: start)
        else { return [] }
        if case .collection(_, let inner) = resolved.tail { return resolved.steps + inner }
        return resolved.steps
    }
}
