# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""The jobs with SQLAlchemy: declarative classes and its unit of work."""

from typing import Any

from peer import IS_SERVER, NAMES, digest_in_order, digest_of_employees, digest_of_groups, run, wrapped
from sqlalchemy import (
    BigInteger, Boolean, DateTime, Float, ForeignKey, String, create_engine, event, func, select,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Department(Base):
    __tablename__ = NAMES.department
    id: Mapped[int] = mapped_column(NAMES.id, BigInteger, primary_key=True)
    if not IS_SERVER:
        entity: Mapped[int] = mapped_column("Z_ENT", BigInteger, default=1)
    version: Mapped[int] = mapped_column(NAMES.version, BigInteger)
    name: Mapped[str] = mapped_column(NAMES.name, String)
    __mapper_args__ = {"version_id_col": version}


class Employee(Base):
    __tablename__ = NAMES.employee
    id: Mapped[int] = mapped_column(NAMES.id, BigInteger, primary_key=True)
    if not IS_SERVER:
        entity: Mapped[int] = mapped_column("Z_ENT", BigInteger, default=2)
    version: Mapped[int] = mapped_column(NAMES.version, BigInteger)
    badge: Mapped[int] = mapped_column(NAMES.badge, BigInteger)
    is_active: Mapped[bool] = mapped_column(NAMES.is_active, Boolean)
    department_id: Mapped[int | None] = mapped_column(
        NAMES.department_id, BigInteger, ForeignKey(f"{NAMES.department}.{NAMES.id}")
    )
    manager_id: Mapped[int | None] = mapped_column(
        NAMES.manager_id, BigInteger, ForeignKey(f"{NAMES.employee}.{NAMES.id}")
    )
    hire_date: Mapped[Any] = mapped_column(NAMES.hire_date, DateTime(timezone=True) if IS_SERVER else Float)
    salary: Mapped[float] = mapped_column(NAMES.salary, Float)
    name: Mapped[str] = mapped_column(NAMES.name, String)
    department: Mapped[Department | None] = relationship()
    __mapper_args__ = {"version_id_col": version}


def use_write_ahead_log(connection, _):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


class Jobs:
    def __init__(self, path, workload):
        self.workload = workload
        engine = create_engine(path.replace("postgresql:", "postgresql+psycopg:") if IS_SERVER else f"sqlite:///{path}")
        if not IS_SERVER:
            event.listen(engine, "connect", use_write_ahead_log)
        # The connection is opened before the job, and goes back to the pool.
        with engine.connect():
            pass
        self.session = Session(engine)

    def J1(self):
        for number, name in enumerate(self.workload.department_names()):
            self.session.add(Department(id=number + 1, name=name))
        self.session.flush()
        for number, employee in enumerate(self.workload.prepared):
            name, salary, hire_date, is_active, badge, department, manager = employee
            self.session.add(
                Employee(
                    id=number + 1, name=name, salary=salary, hire_date=hire_date, is_active=is_active, badge=badge,
                    department_id=department + 1, manager_id=None if manager is None else manager + 1,
                )
            )
        self.session.commit()

    def J2(self):
        return digest_of_employees(self.session.scalars(select(Employee)).all(), True)

    def J2a(self):
        return digest_of_employees(self.session.scalars(select(Employee)).all(), False)

    def J3(self):
        total = 0
        for number in range(self.workload.look_ups):
            badge = self.workload.badge_of_look_up(number)
            for employee in self.session.scalars(select(Employee).where(Employee.badge == badge)).all():
                total += int(employee.salary)
        return wrapped(total)

    def J4(self):
        total = 0
        begins_with_a = Employee.name.like("a%") if IS_SERVER else Employee.name.op("GLOB")("a*")
        for number in range(self.workload.searches):
            salary = self.workload.salary_of_search(number)
            request = select(Employee).where(Employee.salary > salary, begins_with_a)
            found = self.session.scalars(request.order_by(Employee.salary).limit(100)).all()
            total = digest_in_order((employee.badge for employee in found), total)
        return total

    def J5(self):
        departments = self.session.scalars(select(Department)).all()
        total = sum(len(employee.department.name) for employee in self.session.scalars(select(Employee)).all())
        return total if departments else 0

    def J6(self):
        self.change(self.low_badges())

    def J6n(self):
        self.change(self.neighbours())

    def change(self, request):
        for employee in self.session.scalars(request).all():
            employee.salary += 1
        self.session.commit()

    def J7(self):
        self.delete(self.low_badges())

    def J7n(self):
        self.delete(self.neighbours())

    def delete(self, request):
        for employee in self.session.scalars(request).all():
            self.session.delete(employee)
        self.session.commit()

    def J7i(self):
        keys = [employee.id for employee in self.session.scalars(self.low_badges())]
        self.J7()
        for employee in self.session.scalars(select(Employee).where(Employee.manager_id.in_(keys))):
            employee.manager_id = None
        self.session.commit()

    def J8(self):
        total = 0
        for _ in range(self.workload.summaries):
            request = select(func.count(Employee.id), func.avg(Employee.salary)).group_by(Employee.department_id)
            total += digest_of_groups(self.session.execute(request).all())
        return wrapped(total)

    def low_badges(self):
        return select(Employee).where(Employee.badge < self.workload.touched)

    def neighbours(self):
        return select(Employee).limit(self.workload.touched)


run(Jobs)
