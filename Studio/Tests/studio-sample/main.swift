// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes stores for the tests of the pages, and changes them as another program does.

import CoreData
import Foundation
import StudioSample

let words = CommandLine.arguments
guard words.count >= 3 else {
    fatalError("usage: studio-sample STORE --rows N | --gallery | --hostile | --rename OLD NEW")
}
let url = URL(fileURLWithPath: words[1])
switch words[2] {
case "--rows":
    let count = words.count > 3 ? Int(words[3]) ?? 0 : 0
    try SampleShop.edit(url) { context in
        try SampleShop.fill(context, titles: (1...max(1, count)).lazy.map { "Book \($0)" }, author: "Author of all")
    }
case "--gallery": try SampleShop.edit(url) { try SampleShop.fillGallery($0) }
case "--hostile":
    let text = "<script>window.evil = 1</script>\"'><img src=\"x\" onerror=\"window.evil = 2\">"
    try SampleShop.edit(url) { context in
        let titles = [
            text, text + "2", "\u{202E}right to left", "control \u{1}\u{7}\u{1B}[31m",
            String(repeating: "long ", count: 200_000),
        ]
        try SampleShop.fill(context, titles: titles, author: text)
    }
case "--rename" where words.count == 5:
    try SampleShop.edit(url) { context in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == %@", words[3])
        for book in try context.fetch(request) { book.setValue(words[4], forKey: "title") }
    }
default: fatalError("There is no option \(words[2]).")
}
