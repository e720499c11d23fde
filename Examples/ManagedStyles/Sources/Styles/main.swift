// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Uses every property of every class, and exits with 1 if one returns a wrong value.

import CoreData
import Foundation
import Kernel

var failures = 0

@MainActor func check(_ isRight: Bool, _ line: Int = #line) {
    guard !isRight else { return }
    failures += 1
    print("line \(line) is wrong")
}

guard let url = Bundle.module.url(forResource: "Styles", withExtension: "momd"),
    let model = NSManagedObjectModel(contentsOf: url)
else { fatalError("The bundle has no model.") }
let container = NSPersistentContainer(name: "Styles", managedObjectModel: model)
container.persistentStoreDescriptions[0].url = nil
container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
let context = container.viewContext

let scalars = Scalars(context: context)
check(scalars.small == 0 && !scalars.flag && scalars.moment == 0)
(scalars.small, scalars.middle, scalars.big, scalars.plain) = (-3, 70_000, .max, -1)
(scalars.flag, scalars.ratio, scalars.part, scalars.moment) = (true, 2.5, 0.5, 1000)
scalars.middle += 1
check(scalars.small == -3 && scalars.middle == 70_001 && scalars.big == .max && scalars.plain == -1)
check(scalars.flag && scalars.ratio == 2.5 && scalars.part == 0.5 && scalars.moment == 1000)
check(scalars.value(forKey: "moment") as? Date == Date(timeIntervalSinceReferenceDate: 1000))

let objects = Objects(context: context)
check(objects.number == nil && objects.real == nil && objects.text == nil)
(objects.number, objects.real, objects.truth) = (7, 1.5, true)
(objects.price, objects.exact, objects.text) = (NSDecimalNumber(string: "1.10"), 2.25, "text")
objects.day = NSDate(timeIntervalSinceReferenceDate: 5)
check(objects.number == 7 && objects.real == 1.5 && objects.truth?.boolValue == true)
check(objects.price == NSDecimalNumber(string: "1.10") && objects.exact == 2.25)
check(objects.text?.isEqual(to: "text") == true && objects.day?.timeIntervalSinceReferenceDate == 5)
objects.number = nil
check(objects.number == nil)

let values = Values(context: context)
check(values.title == "" && values.link == nil)
let id = UUID()
(values.title, values.born, values.bytes, values.id) = ("A title that is long enough", .distantPast, Data([1, 2]), id)
values.link = URL(string: "https://example.org")
check(values.title == "A title that is long enough" && values.born == .distantPast && values.bytes == Data([1, 2]))
check(values.id == id && values.link?.host() == "example.org")

let anything = Anything(context: context)
check(anything.counts.isEmpty)
(anything.words, anything.counts, anything.some) = (["a", "b"], ["a": 1], NSString("x"))
check(anything.words == ["a", "b"] && anything.counts == ["a": 1] && anything.some == NSString("x"))

let album = Album(context: context)
let songs = (0..<4).map { number in
    let song = Song(context: context)
    song.length = Double(number)
    return song
}
@MainActor func lengths() -> [Double] { (album.songs?.array ?? []).compactMap { ($0 as? Song)?.length } }
album.addToSongs(songs[0])
album.addToSongs(NSOrderedSet(array: [songs[1], songs[2]]))
album.insertIntoSongs(songs[3], at: 0)
check(lengths() == [3, 0, 1, 2])
album.removeFromSongs(at: 1)
album.removeFromSongs(songs[2])
album.replaceSongs(at: 0, with: songs[2])
check(lengths() == [2, 1])
album.insertIntoSongs([songs[0], songs[3]], at: NSIndexSet(indexesIn: NSRange(location: 1, length: 2)))
check(lengths() == [2, 0, 3, 1])
album.removeFromSongs(at: NSIndexSet(index: 3))
album.replaceSongs(at: NSIndexSet(index: 0), with: [songs[1]])
check(lengths() == [1, 0, 3])
album.removeFromSongs(NSOrderedSet(array: [songs[3]]))
check(songs[0].album === album && songs[3].album == nil)
check(album.tags.isEmpty)
album.addToTags(songs[0])
album.addToTags(NSSet(array: [songs[1], songs[2]]))
album.removeFromTags([songs[2]])
check(album.tags == [songs[0], songs[1]] && songs[1].tagged?.contains(album) == true)
album.tags = [songs[3]]
check(songs[3].tagged?.count == 1 && songs[0].tagged?.count == 0)
album.best = songs[1]
check(songs[1].bestOf == [album])
album.songs = nil
check(album.songs?.count == 0)

let deep = Namespace.Level.Deep(context: context)
let deeper = Namespace.Level.Deep(context: context)
deeper.up = deep
deeper.level = 2
check(deep.downs == [deeper] && deeper.level == 2)

let dog = Dog(context: context)
(dog.name, dog.age, dog.breed, dog.weight) = ("Rex", 3, "Terrier", 7.5)
check(dog.name == "Rex" && dog.age == 3 && dog.breed == "Terrier" && dog.weight == 7.5)

let choices = Choices(context: context)
check(choices.kind == .none && choices.other == nil && choices.suit == .hearts)
(choices.kind, choices.other, choices.grade, choices.suit) = (.all, .some, .high, .spades)
check(choices.kind == .all && choices.other == .some(.some) && choices.grade == .high && choices.suit == .spades)

let hidden = Hidden(context: context)
hidden.hide("psst")
(hidden.in, hidden.größe, hidden.debugged, hidden.label, hidden.later) = ("i", 1.5, "d", "l", "x")
check(hidden.found == "psst 42" && hidden.shown == 4 && hidden.in == "i" && hidden.größe == 1.5)
check(hidden.debugged == "d" && hidden.label == "l" && hidden.later == "x")

let person = Person(context: context)
(person.name, person.born, person.doubled) = ("Ada", .distantFuture, 10)
check(person.name == "Ada" && person.born == .distantFuture && person.doubled == 10)

let made = Made(context: context)
(made.title, made.count) = ("t", 5)
check(made.title == "t" && made.count == 5)
check(try context.count(for: Made.fetchRequest()) == 1)

try checkSecrets(context)
try checkGenerics(context)

// Finds classes by their names in the model, including nested ones and those of other modules; typed key
// paths have names.
try context.save()
for (entity, type) in [
    ("Deep", Namespace.Level.Deep.self), ("Dog", Dog.self), ("Person", Person.self), ("Values", Values.self),
    ("Anything", Anything.self),
] as [(String, NSManagedObject.Type)] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    check(try context.fetch(request).allSatisfy { Swift.type(of: $0) == type })
}
let byLevel = NSFetchRequest<Namespace.Level.Deep>(entityName: "Deep")
byLevel.sortDescriptors = [NSSortDescriptor(keyPath: \Namespace.Level.Deep.level, ascending: false)]
check(try context.fetch(byLevel).map(\.level) == [2, 0])
context.refreshAllObjects()
check(dog.isFault && dog.weight == 7.5 && hidden.found == "psst 42")

print(failures == 0 ? "all styles work" : "\(failures) failures")
exit(failures == 0 ? 0 : 1)
