# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""The jobs with Django's models. There is no unit of work: objects are saved one by one, in one transaction."""

from urllib.parse import parse_qs, urlparse

import django
from django.conf import settings
from peer import IS_SERVER, NAMES, digest_in_order, digest_of_employees, digest_of_groups, run, wrapped


def database(path):
    if IS_SERVER:
        url = urlparse(path)
        parameters = parse_qs(url.query)
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": url.path.lstrip("/"),
            "HOST": parameters["host"][0],
            "USER": parameters["user"][0],
        }
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
            # Apple's columns called TIMESTAMP hold seconds, which Python would take for text.
            "detect_types": 0,
        },
    }


def set_up(path):
    settings.configure(DATABASES={"default": database(path)}, INSTALLED_APPS=[], USE_TZ=True)
    django.setup()


def make_models():
    from django.db import models

    class Department(models.Model):
        id = models.BigIntegerField(primary_key=True, db_column=NAMES.id)
        if not IS_SERVER:
            entity = models.IntegerField(db_column="Z_ENT", default=1)
        version = models.IntegerField(db_column=NAMES.version, default=1)
        name = models.TextField(db_column=NAMES.name)

        class Meta:
            app_label = "bench"
            db_table = NAMES.department

    class Employee(models.Model):
        id = models.BigIntegerField(primary_key=True, db_column=NAMES.id)
        if not IS_SERVER:
            entity = models.IntegerField(db_column="Z_ENT", default=2)
        version = models.IntegerField(db_column=NAMES.version, default=1)
        badge = models.BigIntegerField(db_column=NAMES.badge)
        is_active = models.BooleanField(db_column=NAMES.is_active)
        department = models.ForeignKey(Department, models.DO_NOTHING, db_column=NAMES.department_id, null=True)
        manager = models.ForeignKey("self", models.DO_NOTHING, db_column=NAMES.manager_id, null=True)
        hire_date = models.DateTimeField(db_column=NAMES.hire_date) if IS_SERVER else models.FloatField(
            db_column=NAMES.hire_date
        )
        salary = models.FloatField(db_column=NAMES.salary)
        name = models.TextField(db_column=NAMES.name)

        class Meta:
            app_label = "bench"
            db_table = NAMES.employee

    return Department, Employee


class Jobs:
    def __init__(self, path, workload):
        set_up(path)
        from django.db import connection, transaction

        self.workload = workload
        self.transaction = transaction
        self.Department, self.Employee = make_models()
        connection.ensure_connection()

    def J1(self):
        with self.transaction.atomic():
            self.Department.objects.bulk_create(
                self.Department(id=number + 1, name=name)
                for number, name in enumerate(self.workload.department_names())
            )
            self.Employee.objects.bulk_create(
                self.Employee(
                    id=number + 1, name=name, salary=salary, hire_date=hire_date, is_active=is_active, badge=badge,
                    department_id=department + 1, manager_id=None if manager is None else manager + 1,
                )
                for number, (name, salary, hire_date, is_active, badge, department, manager) in enumerate(
                    self.workload.prepared
                )
            )

    def J2(self):
        return digest_of_employees(list(self.Employee.objects.all()), True)

    def J2a(self):
        return digest_of_employees(list(self.Employee.objects.all()), False)

    def J3(self):
        total = 0
        for number in range(self.workload.look_ups):
            for employee in self.Employee.objects.filter(badge=self.workload.badge_of_look_up(number)):
                total += int(employee.salary)
        return wrapped(total)

    def J4(self):
        total = 0
        for number in range(self.workload.searches):
            found = self.Employee.objects.filter(salary__gt=self.workload.salary_of_search(number))
            found = found.filter(name__startswith="a") if IS_SERVER else found.extra(where=["ZNAME GLOB 'a*'"])
            total = digest_in_order((employee.badge for employee in found.order_by("salary")[:100]), total)
        return total

    def J5(self):
        return sum(len(employee.department.name) for employee in self.Employee.objects.select_related("department"))

    def J6(self):
        self.change(self.low_badges())

    def J6n(self):
        self.change(self.neighbours())

    def change(self, employees):
        with self.transaction.atomic():
            for employee in list(employees):
                employee.salary += 1
                employee.version += 1
                employee.save(update_fields=["salary", "version"])

    def J7(self):
        self.delete(self.low_badges())

    def J7n(self):
        self.delete(self.neighbours())

    def delete(self, employees):
        with self.transaction.atomic():
            for employee in list(employees):
                employee.delete()

    def J7i(self):
        with self.transaction.atomic():
            employees = list(self.low_badges())
            keys = [employee.id for employee in employees]
            self.delete(employees)
            for start in range(0, len(keys), 500):
                self.Employee.objects.filter(manager_id__in=keys[start : start + 500]).update(manager=None)

    def J8(self):
        from django.db.models import Avg, Count

        total = 0
        for _ in range(self.workload.summaries):
            groups = self.Employee.objects.values("department_id").annotate(count=Count("id"), average=Avg("salary"))
            total += digest_of_groups((group["count"], group["average"]) for group in groups)
        return wrapped(total)

    def low_badges(self):
        return self.Employee.objects.filter(badge__lt=self.workload.touched)

    def neighbours(self):
        return self.Employee.objects.all()[: self.workload.touched]


run(Jobs)
