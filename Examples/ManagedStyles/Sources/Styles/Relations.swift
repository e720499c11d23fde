// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Relationships, nested classes, inheritance.

import CoreData
import Kernel

class Album: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var songs: NSOrderedSet?
    @NSManaged var tags: Set<Song>
    @NSManaged var best: Song?
}

// MARK: Generated accessors for songs
extension Album {
    @NSManaged func insertIntoSongs(_ value: Song, at idx: Int)
    @NSManaged func removeFromSongs(at idx: Int)
    @NSManaged func insertIntoSongs(_ values: [Song], at indexes: NSIndexSet)
    @NSManaged func removeFromSongs(at indexes: NSIndexSet)
    @NSManaged func replaceSongs(at idx: Int, with value: Song)
    @NSManaged func replaceSongs(at indexes: NSIndexSet, with values: [Song])
    @NSManaged func addToSongs(_ value: Song)
    @NSManaged func removeFromSongs(_ value: Song)
    @NSManaged func addToSongs(_ values: NSOrderedSet)
    @NSManaged func removeFromSongs(_ values: NSOrderedSet)
    @NSManaged func addToTags(_ value: Song)
    @NSManaged func addToTags(_ values: NSSet)
    @NSManaged func removeFromTags(_ values: Set<Song>)
}

class Song: NSManagedObject {
    @NSManaged var length: Double
    @NSManaged var album: Album!
    @NSManaged var tagged: NSSet?
    @NSManaged var bestOf: Set<Album>?
}

enum Namespace {
    enum Level {
        class Deep: NSManagedObject {
            @NSManaged var level: Int16
            @NSManaged var up: Deep?
            @NSManaged var downs: Set<Namespace.Level.Deep>
        }
    }
}

class Animal: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var age: Int16
    class var sound: String { "" }
}

final class Dog: Animal {
    @NSManaged var breed: String?
    @NSManaged var weight: Double
    override class var sound: String { "Woof" }
}

final class Choices: NSManagedObject {
    enum Kind: Int16 { case none, some, all }
    @NSManaged var kind: Kind
    @NSManaged var other: Choices.Kind?
    @NSManaged var grade: Grade?
    @NSManaged var suit: Suit
}

enum Suit: String, CaseIterable { case hearts, spades }
