// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a filter that a person types: returns a predicate, or a mistake with its position.

public import CoreData
import CoreDataFoundation

/// The reason why a text is no valid filter, and the position of the mistake.
public struct FilterMistake: Error, Sendable, Equatable {
    /// A sentence.
    public let message: String
    /// The position in the text, in Unicode scalars from its start; nil for a mistake of the whole text.
    public let offset: Int?
    /// The names that are valid at this place; empty if they are not known.
    public let known: [String]
}

extension BrowsedStore {
    /// Reads a filter in the predicate language, with dates, UUIDs and objects ("Car/3") as texts.
    ///
    /// - Returns: nil for an empty text, which means all objects.
    /// - Throws: `FilterMistake` for text that is malformed, names an unknown key, or compares a property with a value
    ///   of another type. The text is checked without reading the store.
    public func predicate(_ filter: String, of entity: NSEntityDescription) throws(FilterMistake) -> NSPredicate? {
        guard filter.contains(where: { !$0.isWhitespace }) else { return nil }
        do {
            let syntax = try NSPredicate.parsing(filter).syntax
            if let (error, offset) = try KeyCheck.unknownKey(in: syntax, format: filter, entity: entity) {
                throw FilterMistake(message: error.sentence, offset: offset, known: error.known)
            }
            return try ConstantReading(opened, entity).read(syntax).predicate
        } catch let mistake as FilterMistake {
            throw mistake
        } catch let error as PredicateFormatError {
            throw FilterMistake(message: error.message, offset: error.offset, known: [])
        } catch {
            throw FilterMistake(message: ToolError.text(of: error), offset: nil, known: [])
        }
    }
}
