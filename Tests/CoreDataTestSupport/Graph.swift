// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample with an entity that is related to itself in every way.

public import CoreData
import Foundation

/// A node has neighbours (many to many, its own inverse), a twin (one to one, its own inverse), a next and a previous
/// one, a parent, and ordered children, which are deleted with it.
public enum GraphModel {
    /// - Parameter type: the class of the nodes, which also names the entity.
    public static func make(_ type: NSManagedObject.Type = Node.self) -> NSManagedObjectModel {
        let node = NSEntityDescription("\(type)", class: type)
        node.attribute("name", .stringAttributeType)
        node.relate("neighbours", .many, to: node, inverse: "neighbours", .many)
        node.relate("twin", .one, to: node, inverse: "twin", .one)
        node.relate("next", .one, to: node, inverse: "previous", .one)
        node.relate("children", .ordered, .cascadeDeleteRule, to: node, inverse: "parent", .one)
        return NSManagedObjectModel(node)
    }
}

public final class Node: NSManagedObject {
    public var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    public var neighbours: Set<Node> {
        get { value(forKey: "neighbours") as? Set<Node> ?? [] }
        set { setValue(newValue as NSSet, forKey: "neighbours") }
    }
    public var twin: Node? {
        get { value(forKey: "twin") as? Node }
        set { setValue(newValue, forKey: "twin") }
    }
    public var next: Node? {
        get { value(forKey: "next") as? Node }
        set { setValue(newValue, forKey: "next") }
    }
    public var previous: Node? {
        get { value(forKey: "previous") as? Node }
        set { setValue(newValue, forKey: "previous") }
    }
    public var parent: Node? {
        get { value(forKey: "parent") as? Node }
        set { setValue(newValue, forKey: "parent") }
    }
    public var children: [Node] {
        get { (value(forKey: "children") as? NSOrderedSet)?.array as? [Node] ?? [] }
        set { setValue(NSOrderedSet(array: newValue), forKey: "children") }
    }

    public class func request() -> NSFetchRequest<Node> { NSFetchRequest<Node>(entityName: "Node") }
}

/// A stack with the graph's model.
public final class Graph {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }

    public init(in kind: StoreKind) throws { stack = try Stack(kind, GraphModel.make()) }

    /// New nodes, one for each name.
    public func nodes(_ names: String...) -> [Node] {
        names.map { name in
            let node = Node(context: context)
            node.name = name
            return node
        }
    }
}
