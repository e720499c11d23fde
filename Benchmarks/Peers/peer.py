# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""The common part of both peers: the data, computed as in Workload.swift, the digests, and one run of one job.

usage: NAME_peer.py JOB DATABASE ROWS SEARCHES

A database is a file with Apple's tables, or the URL of a database on a PostgreSQL server with the framework's.
BENCH_POSTMASTER is the number of the server's first process.
"""

import json
import os
import sys
import time
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

IS_SERVER = sys.argv[2].startswith("postgresql:")

# The names of tables and columns.
if IS_SERVER:
    NAMES = SimpleNamespace(
        department="department", employee="employee", id="id", version="version", name="name", badge="badge",
        is_active="is_active", hire_date="hire_date", salary="salary", department_id="department_id",
        manager_id="manager_id",
    )
else:
    NAMES = SimpleNamespace(
        department="ZDEPARTMENT", employee="ZEMPLOYEE", id="Z_PK", version="Z_OPT", name="ZNAME", badge="ZBADGE",
        is_active="ZISACTIVE", hire_date="ZHIREDATE", salary="ZSALARY", department_id="ZDEPARTMENT",
        manager_id="ZMANAGER",
    )

# Files hold seconds since this moment, and a server moments.
EPOCH = datetime(2001, 1, 1, tzinfo=timezone.utc)

DEPARTMENTS = 100

GIVEN_NAMES = (
    "ada benedikt clara dorothea emil friederike gerda hugo ingeborg jan karoline leopold max nora otto pauline "
    "quentin rosalind sven theodora ulla veronika wanda xaver yara zoe"
).split()
FAMILY_NAMES = (
    "abelmann bergmann castell dornbusch eberhard finkenstein gruber hartmann ibsen jungermann kowalski lindgren "
    "moser nyman olsen petersen quasthoff richter svensson thomas ulrich"
).split()


class Workload:
    def __init__(self, rows, searches):
        self.rows = rows
        self.searches = searches
        self.touched = min(rows, 10_000)
        self.look_ups = 10_000
        self.summaries = 4 if rows > 100_000 else 20

    def badge_of_look_up(self, number):
        return (number * 7_919 + 13) % self.rows

    def salary_of_search(self, number):
        return 20_000 + (self.rows // 4 + (number * 611) % max(1, self.rows // 2)) * 0.5

    def department_names(self):
        return [f"Department {number}" for number in range(DEPARTMENTS)]

    def employees(self):
        """Tuples of name, salary, date of hire, whether active, badge, department's number, manager's or None."""
        return [
            (
                f"{GIVEN_NAMES[n % 26]} {FAMILY_NAMES[n // 26 % 21]}",
                20_000 + ((n * 7_919) % self.rows) * 0.5,
                self.date((n * 97_003) % 600_000_000),
                n % 3 != 0,
                (n * 104_729) % self.rows,
                n % DEPARTMENTS,
                self.manager(n),
            )
            for n in range(self.rows)
        ]

    def date(self, seconds):
        return EPOCH + timedelta(seconds=seconds) if IS_SERVER else float(seconds)

    def manager(self, number):
        if number % 10 == 0:
            return None
        if number % 10 == 9:
            return (number - 9 + self.rows // 2) % self.rows
        return number - number % 10


def digest_of_employees(employees, with_relationships):
    """Of objects with `name`, `salary`, `hire_date`, `is_active`, `badge` and the keys of department and manager."""
    total = 0
    for employee in employees:
        total += (
            len(employee.name)
            + int(employee.salary)
            + (int((employee.hire_date - EPOCH).total_seconds()) if IS_SERVER else int(employee.hire_date))
            + (1 if employee.is_active else 0)
            + employee.badge
        )
        if with_relationships:
            total += (3 if employee.department_id is not None else 0) + (5 if employee.manager_id is not None else 0)
    return wrapped(total)


def digest_of_groups(groups):
    """Of pairs of count and average."""
    return sum(count * 1_000_003 + int(average) for count, average in groups)


def digest_in_order(numbers, start=0):
    total = start
    for number in numbers:
        total = wrapped(total * 31 + number)
    return total


def wrapped(number):
    return number & 0xFFFF_FFFF_FFFF_FFFF


def server_milliseconds():
    """The processor time of the server's processes that live; None without a server, or where the system does not
    tell."""
    postmaster = os.environ.get("BENCH_POSTMASTER")
    try:
        with open(f"/proc/{postmaster}/task/{postmaster}/children") as children:
            total = 0
            for process in children.read().split():
                with open(f"/proc/{process}/schedstat") as times:
                    total += int(times.read().split()[0])
            return total / 1e6
    except OSError:
        return None


def run(open_session):
    """Runs the job named by the arguments and prints its time. `open_session(path, workload)` returns an object with a
    method for each job. Jobs that change the database return None; the caller reads it."""
    job, path, rows, searches = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    workload = Workload(rows, searches)
    if job == "J1":
        workload.prepared = workload.employees()
    work = getattr(open_session(path, workload), job)
    server = server_milliseconds()
    cpu, wall = time.process_time(), time.perf_counter()
    digest = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    server = None if server is None else server_milliseconds() - server
    print(json.dumps({"cpu_ms": cpu * 1e3, "wall_ms": wall * 1e3, "server_ms": server, "digest": digest}))
