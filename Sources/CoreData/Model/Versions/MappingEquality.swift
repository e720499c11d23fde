// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares mappings of entities and properties by content.

import CoreDataFoundation
import Foundation

/// Two mappings are equal if a migration does the same with both, and if their user info is equal. A nil list equals an
/// empty one.
enum MappingEquality {
    static func areEqual(_ one: NSEntityMapping, _ other: NSEntityMapping) -> Bool {
        one.name == other.name && one.mappingType == other.mappingType
            && one.sourceEntityName == other.sourceEntityName
            && one.sourceEntityVersionHash == other.sourceEntityVersionHash
            && one.destinationEntityName == other.destinationEntityName
            && one.destinationEntityVersionHash == other.destinationEntityVersionHash
            && one.entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
            && one.sourceExpression == other.sourceExpression
            && (one.attributeMappings ?? []) == (other.attributeMappings ?? [])
            && (one.relationshipMappings ?? []) == (other.relationshipMappings ?? [])
            && areEqual(one.userInfo, other.userInfo)
    }

    static func areEqual(_ one: NSPropertyMapping, _ other: NSPropertyMapping) -> Bool {
        one.name == other.name && one.valueExpression == other.valueExpression
            && areEqual(one.userInfo, other.userInfo)
    }

    private static func areEqual(_ one: [AnyHashable: Any]?, _ other: [AnyHashable: Any]?) -> Bool {
        let (one, other) = (one ?? [:], other ?? [:])
        return one.count == other.count
            && one.allSatisfy { key, value in other[key].map { ValueComparison.areEqual(value, $0) } ?? false }
    }
}
