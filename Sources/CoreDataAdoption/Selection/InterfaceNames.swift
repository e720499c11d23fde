// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recognizes names of Apple's interface frameworks.

import CoreDataGeneration

/// A guess that saves rounds of the compiler: it is used only in files that import one of these frameworks, and never
/// for names that the project declares.
enum InterfaceNames {
    /// Names that count wherever they are used.
    private static let names: Set<String> = words(
        """
        View ViewModifier ViewBuilder Scene App PreviewProvider NavigationView NavigationStack NavigationLink
        NavigationPath NavigationSplitView VStack HStack ZStack LazyVStack LazyHStack LazyVGrid GridItem ScrollView
        GeometryReader Spacer Divider TextField SecureField TextEditor Toggle Picker DatePicker Stepper Slider
        ToolbarItem ToolbarItemGroup WindowGroup ForEach Binding LocalizedStringKey ButtonStyle LabelStyle
        EnvironmentKey EnvironmentValues PreferenceKey Animation Gradient LinearGradient RoundedRectangle
        HostingController PrimitiveButtonStyle ToggleStyle TextFieldStyle ContentUnavailableView ShapeStyle
        TimelineProvider TimelineEntry Widget WidgetBundle WidgetConfiguration AppIntent AppEntity EntityQuery
        NSViewController NSView NSWindow NSWindowController NSApplication NSApplicationDelegate NSColor NSImage NSFont
        NSTableView NSOutlineView NSCell NSMenu NSMenuItem NSToolbar NSAlert NSOpenPanel NSSavePanel NSPasteboard
        NSStoryboardSegue NSCollectionView NSTextField NSButton NSHostingView NSViewRepresentable NSApplicationMain
        WidgetCenter UNUserNotificationCenter CSSearchableIndex WCSession
        """)

    /// Names that count as attributes only, because models have entities with such names.
    private static let attributes: Set<String> = words(
        """
        State StateObject ObservedObject EnvironmentObject Environment FetchRequest SectionedFetchRequest AppStorage
        SceneStorage FocusState GestureState Bindable UIApplicationMain NSApplicationMain IBOutlet IBAction
        IBDesignable IBInspectable UIApplicationDelegateAdaptor NSApplicationDelegateAdaptor ScaledMetric Namespace
        """)

    /// The first name of an interface among tokens; nil if they have no such name.
    ///
    /// - Parameter declared: names that the project declares.
    static func first(in tokens: ArraySlice<SwiftToken>, except declared: Set<String>) -> String? {
        for index in tokens.indices where tokens[index].kind == .word {
            let (token, before) = (tokens[index], index > tokens.startIndex ? tokens[index - 1] : nil)
            guard before?.is(".") != true, !declared.contains(token.text) else { continue }
            if before?.is("@") == true {
                // SwiftDataShims has the context of the environment, and no other value of it.
                let isContext = tokens[index...].prefix(5).map(\.text).joined() == "Environment(\\.modelContext"
                if attributes.contains(token.text), !isContext { return "@\(token.text)" }
            } else if before?.is("#") == true {
                if token.text == "Preview" { return "#Preview" }
            } else if contains(token.text) {
                return token.text
            }
        }
        return nil
    }

    /// The reason for a cut, as a sentence of the report.
    static func reason(_ name: String, _ module: String, verb: String = "uses") -> String {
        let advice = name == "@AppStorage" ? ", which is for views; UserDefaults has the same values" : ""
        return "It \(verb) '\(name)' of \(module)\(advice)."
    }

    /// Whether a name is of an interface wherever it is used.
    static func contains(_ name: String) -> Bool {
        !LinuxModules.shimNames.contains(name) && (names.contains(name) || isOfUIKit(name))
    }

    /// "UIView", "UIApplicationDelegate"; not "UIState", which the project declares, nor "UUID".
    private static func isOfUIKit(_ name: String) -> Bool {
        guard name.hasPrefix("UI"), name.utf8.count > 4 else { return false }
        let rest = name.dropFirst(2)
        return rest.first?.isUppercase == true && rest.dropFirst().first?.isLowercase == true
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
