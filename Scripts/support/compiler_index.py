# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Reads the index that the compiler writes with a debug build: the definitions and references of each source file.

Uses the C library `libIndexStore` of the Swift toolchain that `swiftc` on the PATH belongs to.
"""
import collections
import ctypes
import os
import shutil

Definition = collections.namedtuple("Definition", "file line kind name parent")
Reference = collections.namedtuple("Reference", "file line symbol")

# Values of indexstore.h.
DECLARATION, DEFINITION, REFERENCE, CHILD_OF = 1 << 0, 1 << 1, 1 << 2, 1 << 9
LOCAL = 1 << 7
RECORD = 2
MODULE, PROTOCOL, EXTENSION, ENUM_CASE, PARAMETER = 1, 8, 9, 15, 25


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


POINTER = ctypes.c_void_p
NAME_VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, String)
VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER)
COUNT = ctypes.POINTER(ctypes.c_uint)
FUNCTIONS = {
    "store_create": (POINTER, [ctypes.c_char_p, POINTER]),
    "store_units_apply_f": (ctypes.c_bool, [POINTER, ctypes.c_uint, POINTER, NAME_VISITOR]),
    "unit_reader_create": (POINTER, [POINTER, ctypes.c_char_p, POINTER]),
    "unit_reader_dispose": (None, [POINTER]),
    "unit_reader_get_main_file": (String, [POINTER]),
    "unit_reader_get_modification_time": (None, [POINTER, POINTER, POINTER]),
    "unit_reader_dependencies_apply_f": (ctypes.c_bool, [POINTER, POINTER, VISITOR]),
    "unit_dependency_get_kind": (ctypes.c_int, [POINTER]),
    "unit_dependency_get_name": (String, [POINTER]),
    "unit_dependency_get_filepath": (String, [POINTER]),
    "record_reader_create": (POINTER, [POINTER, ctypes.c_char_p, POINTER]),
    "record_reader_dispose": (None, [POINTER]),
    "record_reader_occurrences_apply_f": (ctypes.c_bool, [POINTER, POINTER, VISITOR]),
    "occurrence_get_symbol": (POINTER, [POINTER]),
    "occurrence_get_roles": (ctypes.c_uint64, [POINTER]),
    "occurrence_get_line_col": (None, [POINTER, COUNT, COUNT]),
    "occurrence_relations_apply_f": (ctypes.c_bool, [POINTER, POINTER, VISITOR]),
    "symbol_get_usr": (String, [POINTER]),
    "symbol_get_name": (String, [POINTER]),
    "symbol_get_kind": (ctypes.c_int, [POINTER]),
    "symbol_get_properties": (ctypes.c_uint64, [POINTER]),
    "symbol_relation_get_roles": (ctypes.c_uint64, [POINTER]),
    "symbol_relation_get_symbol": (POINTER, [POINTER]),
}


class Index:
    """Definitions (by the compiler's name of the symbol) and references in the files below a folder.

    Local variables, parameters and modules are left out. A file that the store has not seen raises `Missing`, and so does one
    that changed after the compiler read it.
    """

    class Missing(Exception):
        pass

    def __init__(self, store, folder):
        swift = os.path.realpath(shutil.which("swiftc"))
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(swift), "..", "lib", "libIndexStore.so"))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
        self.store = self.call("store_create", os.fsencode(store), None)
        if not self.store:
            raise Index.Missing(f"there is no index at {store}; build first")
        self.definitions, self.references = {}, []
        for file, record in self.records(os.path.abspath(folder)).items():
            self.read(file, record)

    def call(self, name, *arguments):
        return getattr(self.library, "indexstore_" + name)(*arguments)

    def visit(self, name, container, body):
        self.call(name, container, None, VISITOR(lambda _, element: bool(body(element)) or True))

    def records(self, folder):
        """The newest record of each source file."""
        units = []
        visitor = NAME_VISITOR(lambda _, name: bool(units.append(str(name))) or True)
        self.call("store_units_apply_f", self.store, 1, None, visitor)
        newest = {}
        for unit in units:
            reader = self.call("unit_reader_create", self.store, unit.encode(), None)
            if not reader:
                continue
            file = str(self.call("unit_reader_get_main_file", reader))
            if file.startswith(folder + "/") and os.path.exists(file):
                seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
                self.call("unit_reader_get_modification_time", reader, ctypes.byref(seconds), ctypes.byref(nanoseconds))
                time = seconds.value + nanoseconds.value / 1e9
                names = []
                self.visit("unit_reader_dependencies_apply_f", reader, lambda part: names.append(
                    str(self.call("unit_dependency_get_name", part)))
                    if self.call("unit_dependency_get_kind", part) == RECORD
                    and str(self.call("unit_dependency_get_filepath", part)) == file else None)
                if names and (file not in newest or time > newest[file][0]):
                    newest[file] = (time, names[0])
            self.call("unit_reader_dispose", reader)
        for directory, _, files in os.walk(folder):
            for file in (os.path.join(directory, name) for name in files if name.endswith(".swift")):
                if file not in newest and any(not l.startswith("//") and l.strip() for l in open(file, encoding="utf-8")):
                    raise Index.Missing(f"the index does not know {file}; build first")
        return {file: record for file, (_, record) in newest.items()}

    def read(self, file, record):
        reader = self.call("record_reader_create", self.store, record.encode(), None)
        self.visit("record_reader_occurrences_apply_f", reader, lambda occurrence: self.add(file, occurrence))
        self.call("record_reader_dispose", reader)

    def add(self, file, occurrence):
        symbol = self.call("occurrence_get_symbol", occurrence)
        kind = self.call("symbol_get_kind", symbol)
        if kind in (MODULE, EXTENSION, PARAMETER) or self.call("symbol_get_properties", symbol) & LOCAL:
            return
        roles = self.call("occurrence_get_roles", occurrence)
        line, column = ctypes.c_uint(), ctypes.c_uint()
        self.call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
        name = str(self.call("symbol_get_usr", symbol))
        if roles & DEFINITION or roles & DECLARATION and not roles & REFERENCE:
            parents = []
            self.visit("occurrence_relations_apply_f", occurrence, lambda relation: parents.append(
                str(self.call("symbol_get_usr", self.call("symbol_relation_get_symbol", relation))))
                if self.call("symbol_relation_get_roles", relation) & CHILD_OF else None)
            self.definitions.setdefault(name, Definition(
                file, line.value, kind, str(self.call("symbol_get_name", symbol)), parents[0] if parents else None))
        elif roles & REFERENCE:
            self.references.append(Reference(file, line.value, name))
