// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes and values as apps write them with Apple's frameworks.

import AppleShims
import Testing

@Suite("Names of Apple's frameworks on Linux") struct AppleShimsTests {
    private final class Controller: ObservableObject {
        @Published var filter = ""
        @Published private(set) var count: Int

        init(count: Int) { _count = Published(initialValue: count) }

        func reset() {
            objectWillChange.send()
            count = 0
        }
    }

    @MainActor private final class OnMainActor: ObservableObject {
        @Published var name = "a"
    }

    private struct Place {
        var (latitude, longitude) = (52.5, 13.4)

        var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
    }

    @Test("published properties of an observable object are plain properties") func published() {
        let controller = Controller(count: 3)
        controller.filter = "x"
        #expect(controller.filter == "x" && controller.count == 3)
        controller.reset()
        #expect(controller.count == 0)
    }

    @Test("an observable object may belong to the main actor") @MainActor func mainActor() {
        let object = OnMainActor()
        object.name = "b"
        object.objectWillChange.send()
        #expect(object.name == "b")
    }

    @Test("a coordinate is a value") func coordinates() {
        #expect(Place().coordinate.latitude == 52.5)
        #expect(CLLocationCoordinate2D().longitude == 0)
    }
}
