// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The failures of fixtures, with the remedy.

/// A rule of the model that a fixture cannot keep by itself.
public enum FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The model has no entity of this name, or it is abstract.
    case noEntity(String)
    /// The values of the attribute have a rule that fixtures do not understand.
    case unknownRule(entity: String, attribute: String, rule: String)
    /// All values that the rules allow are used by other objects, and the model wants unique ones.
    case noFreeValue(entity: String, attributes: [String])
    /// The relationship needs more objects than can be made for it.
    case tooManyObjects(entity: String, relationship: String)

    /// A sentence that names entity and property, and says what to do.
    public var description: String {
        switch self {
        case .noEntity(let name):
            "The model has no entity '\(name)' of which objects can be made."
        case .unknownRule(let entity, let attribute, let rule):
            "Fixtures do not understand the rule \(rule) of '\(entity).\(attribute)'. Give values: "
                + "fixture.values[\"\(entity).\(attribute)\"] = { number in … }."
        case .noFreeValue(let entity, let attributes):
            "The values of \(attributes.map { "'\(entity).\($0)'" }.joined(separator: ", ")) have to be unique, and all that "
                + "the rules allow are used. Make fewer objects, or give values."
        case .tooManyObjects(let entity, let relationship):
            "The objects that '\(entity).\(relationship)' needs in turn need others, without an end. Make some of them "
                + "yourself, and set the relationship."
        }
    }
}
