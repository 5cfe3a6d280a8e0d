from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import conninfo
from typer.testing import CliRunner, Result

import servers
from cowscore.cli.app import app

runner = CliRunner()

SHOP = """
create table customers (id int primary key, name text not null);
create table orders (
    id int generated always as identity primary key,
    customer_id int not null references customers,
    state text not null default 'new'
);
create table audit (at timestamptz default now(), what text);
insert into customers values (1, 'Ann'), (2, 'Bob');
insert into orders (customer_id) values (1);
"""
PLACE_ORDER = "insert into orders (customer_id) values (2); update customers set name = 'Robert' where id = 2"


@pytest.fixture
def shop(dsn: str) -> str:
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
    assert cowscore(dsn, "enable").exit_code == 0
    return dsn


def cowscore(dsn: str, *arguments: str) -> Result:
    result = runner.invoke(app, arguments, env={"COWSCORE_DSN": dsn})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def printed_json(result: Result) -> Any:
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def query(dsn: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(statement).fetchall()


def psql(server: servers.Server, statement: str) -> list[str]:
    """A command that reaches its database through the environment alone."""
    return [str(server.programs / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement]


def opened(dsn: str, *statements: str, kind: str = "agent") -> str:
    """The id of a new session in which the statements ran, each as an operation of its own."""
    session = cowscore(dsn, "session", "open", "--kind", kind).stdout.strip()
    inside = cowscore(dsn, "session", "dsn", session).stdout.strip()
    for statement in statements:
        with psycopg.connect(inside) as connection:
            connection.execute(statement)
    return session


def test_enable_again_keeps_the_layout(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
    for arguments in (["--layout", "in_place"], []):
        assert printed_json(cowscore(dsn, "enable", "--json", *arguments))["layout"] == "in_place"


def test_enable_reports_modes_and_status_is_clean(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
    report = printed_json(cowscore(dsn, "enable", "--exclude", "customers", "--json"))
    assert {name: entry["mode"] for name, entry in report["tables"].items()} == {
        "audit": "insert_only",
        "customers": "excluded",
        "orders": "session",
    }
    table = cowscore(dsn, "enable", "--exclude", "customers").stdout.splitlines()
    assert table[0].split() == ["TABLE", "MODE", "REASON"]
    assert [line.split()[0] for line in table[1:]] == ["audit", "customers", "orders"]
    status = cowscore(dsn, "status", "--json")
    assert status.exit_code == 0
    assert {entry["table"]: entry["state"] for entry in printed_json(status)}["orders"] == "current"


def test_a_dry_run_prints_sql_that_enables(server: servers.Server, dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
    script = cowscore(dsn, "enable", "--dry-run").stdout
    assert query(dsn, "select count(*) from pg_namespace where nspname like 'cowscore%'") == [(0,)]
    run = [server.programs / "psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-d", dsn]
    done = subprocess.run(run, input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {entry["state"] for entry in printed_json(cowscore(dsn, "status", "--json"))} == {"current", "read_only"}
    session = opened(dsn, PLACE_ORDER)
    assert len(printed_json(cowscore(dsn, "session", "diff", session, "--json"))) == 2


def test_status_exits_1_when_a_table_changed(shop: str) -> None:
    with psycopg.connect(shop) as connection:
        connection.execute("alter table orders add note text")
    status = cowscore(shop, "status")
    assert status.exit_code == 1
    assert "1 of 3 tables changed since enable" in status.stderr
    assert cowscore(shop, "enable").exit_code == 0
    assert cowscore(shop, "status").exit_code == 0


def test_disable_takes_everything_away_but_what_a_dry_run_only_prints(shop: str) -> None:
    assert "drop schema" in cowscore(shop, "disable", "--dry-run").stdout
    assert cowscore(shop, "status").exit_code == 0
    assert cowscore(shop, "disable").exit_code == 0
    assert query(shop, "select count(*) from pg_namespace where nspname like 'public\\_cow%'") == [(0,)]
    again = cowscore(shop, "disable")
    assert again.exit_code == 2
    assert again.stderr == "cowscore: schema 'public' is not enabled\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["enable", "--schema", "nowhere"], "schema 'nowhere' does not exist"),
        (["enable", "--exclude", "nothing"], "has no table 'nothing'"),
        (["session", "list"], "run `cowscore enable` first"),
        (["status"], "run `cowscore enable` first"),
        (["try", "--", "true"], "run `cowscore enable` first"),
    ],
)
def test_input_that_cannot_work_is_one_line_and_exit_code_2(dsn: str, arguments: list[str], message: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
    result = cowscore(dsn, *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("cowscore: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_role_without_rights_gets_one_line_and_exit_code_2(dsn: str) -> None:
    guest = f"guest_{uuid4().hex}"
    with psycopg.connect(dsn) as connection:
        connection.execute(SHOP)
        connection.execute(f"create role {guest} login password 'x'")
    try:
        result = cowscore(conninfo.make_conninfo(dsn, user=guest, password="x"), "enable")
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert f"role {guest} may not do this" in result.stderr
    finally:
        with psycopg.connect(dsn) as connection:
            connection.execute(f"drop role {guest}")


@pytest.mark.parametrize("command", ["show", "diff", "ops", "close", "commit", "discard", "fork", "rehearse", "dsn"])
def test_an_unknown_session_is_exit_code_2(shop: str, command: str) -> None:
    result = cowscore(shop, "session", command, str(uuid4()))
    assert result.exit_code == 2
    assert "does not exist" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_session_from_opening_to_commit(shop: str) -> None:
    own = str(uuid4())
    facts = printed_json(
        cowscore(shop, "session", "open", "--name", "Kickoff", "--id", own, "--meta", "ticket=7", "--json")
    )
    assert facts == {"id": own, "name": "Kickoff", "kind": "agent", "metadata": {"ticket": "7"}}
    with psycopg.connect(cowscore(shop, "session", "dsn", own).stdout.strip()) as connection:
        connection.execute(PLACE_ORDER)

    (listed,) = printed_json(cowscore(shop, "session", "list", "--json"))
    assert (listed["id"], listed["name"], listed["state"]) == (own, "Kickoff", "open")
    (operation,) = printed_json(cowscore(shop, "session", "ops", own, "--json"))
    assert operation["tables"] == ["customers", "orders"]
    rows = printed_json(cowscore(shop, "session", "diff", own, "--json"))
    assert {(row["table"], row["kind"]) for row in rows} == {("customers", "update"), ("orders", "insert")}
    shown = cowscore(shop, "session", "show", own).stdout
    assert "Kickoff" in shown
    assert operation["id"] in shown
    assert "name: 'Bob' -> 'Robert'" in shown

    rehearsal = cowscore(shop, "session", "rehearse", own)
    assert rehearsal.exit_code == 0
    assert "would write 2 rows" in rehearsal.stderr
    assert query(shop, "select count(*) from orders") == [(1,)]
    assert cowscore(shop, "session", "close", own).exit_code == 0
    committed = cowscore(shop, "session", "commit", own)
    assert committed.exit_code == 0
    assert "2 rows written" in committed.stderr
    assert query(shop, "select count(*) from orders") == [(2,)]
    again = cowscore(shop, "session", "commit", own)
    assert again.exit_code == 2
    assert again.stderr.count("\n") == 1


def test_selected_operations_are_discarded_and_forked(shop: str) -> None:
    session = opened(shop, "insert into customers values (3, 'Cat')", "update customers set name = 'A' where id = 1")
    first, second = (o["id"] for o in printed_json(cowscore(shop, "session", "ops", session, "--json")))
    copy = cowscore(shop, "session", "fork", session, "-o", second, "--name", "half").stdout.strip()
    (row,) = printed_json(cowscore(shop, "session", "diff", copy, "--json"))
    assert (row["kind"], row["key"]) == ("update", [1])
    assert cowscore(shop, "session", "discard", session, "--operation", second).exit_code == 0
    (row,) = printed_json(cowscore(shop, "session", "diff", session, "--json"))
    assert (row["kind"], row["key"]) == ("insert", [3])
    assert [o["id"] for o in printed_json(cowscore(shop, "session", "ops", session, "--json"))] == [first]


def test_a_conflict_is_exit_code_1_and_writes_nothing(shop: str) -> None:
    session = opened(shop, "update customers set name = 'Annabel' where id = 1")
    with psycopg.connect(shop) as connection:
        connection.execute("update customers set name = 'Anna' where id = 1")
    rehearsal = cowscore(shop, "session", "rehearse", session)
    assert rehearsal.exit_code == 1
    assert "customers" in rehearsal.stdout
    assert "id=1" in rehearsal.stdout
    committed = cowscore(shop, "session", "commit", session)
    assert committed.exit_code == 1
    assert committed.stderr.count("\n") == 1
    assert query(shop, "select name from customers where id = 1") == [("Anna",)]
    assert cowscore(shop, "session", "commit", session, "--on-conflict", "ours").exit_code == 0
    assert query(shop, "select name from customers where id = 1") == [("Annabel",)]


def test_score_of_the_same_work_is_1_and_of_half_of_it_is_half(shop: str) -> None:
    ann, bob = (f"update customers set name = 'X' where id = {key}" for key in (1, 2))
    truth, same, half = opened(shop, ann, bob, kind="ground_truth"), opened(shop, ann, bob), opened(shop, ann)
    for profile in ("default", "paper"):
        perfect = printed_json(cowscore(shop, "score", truth, same, "--profile", profile, "--json"))
        assert (perfect["struct"], perfect["content"], perfect["profile"]) == (1.0, 1.0, profile)
    result = cowscore(shop, "score", truth, half)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["struct", "0.500"] in lines
    assert ["recall", "0.500"] in lines
    assert any(line[:2] == ["missing:", "in"] for line in lines)


def sessions_by_state(dsn: str) -> dict[str, str]:
    return {entry["state"]: entry["id"] for entry in printed_json(cowscore(dsn, "session", "list", "--json"))}


def test_try_keeps_without_a_terminal_and_production_sees_nothing(server: servers.Server, shop: str) -> None:
    result = cowscore(shop, "try", "--json", "--", *psql(server, PLACE_ORDER))
    assert result.exit_code == 0, result.stderr
    facts = printed_json(result)
    assert facts["exit_code"] == 0
    assert {(row["table"], row["kind"]) for row in facts["diff"]} == {("customers", "update"), ("orders", "insert")}
    assert query(shop, "select count(*) from orders") == [(1,)]
    assert sessions_by_state(shop) == {"closed": facts["session"]}
    assert f"cowscore session commit {facts['session']}" in result.stderr
    assert cowscore(shop, "session", "commit", facts["session"]).exit_code == 0
    assert query(shop, "select name from customers where id = 2") == [("Robert",)]


@pytest.mark.parametrize(("wish", "orders", "state"), [("commit", 2, "committed"), ("discard", 1, "discarded")])
def test_try_does_what_it_was_told(server: servers.Server, shop: str, wish: str, orders: int, state: str) -> None:
    result = cowscore(shop, "try", "--on-end", wish, "--", *psql(server, PLACE_ORDER))
    assert result.exit_code == 0, result.stderr
    assert "name: 'Bob' -> 'Robert'" in result.stdout
    assert query(shop, "select count(*) from orders") == [(orders,)]
    assert list(sessions_by_state(shop)) == [state]


def test_try_never_commits_a_failed_command(server: servers.Server, shop: str) -> None:
    command = [*psql(server, PLACE_ORDER), "-c", "select 1/0"]
    result = cowscore(shop, "try", "--on-end", "commit", "--", *command)
    assert result.exit_code == 1
    assert "exit code 1" in result.stderr
    assert "not committed" in result.stderr
    assert query(shop, "select count(*) from orders") == [(1,)]
    assert list(sessions_by_state(shop)) == ["closed"]


def test_try_of_a_command_that_does_not_exist_leaves_no_session(shop: str) -> None:
    result = cowscore(shop, "try", "--", "no-such-program")
    assert result.exit_code == 2
    assert result.stderr == "cowscore: cannot run 'no-such-program': No such file or directory\n"
    assert list(sessions_by_state(shop)) == ["discarded"]


def test_try_of_a_command_that_writes_nothing_leaves_no_session(server: servers.Server, shop: str) -> None:
    result = cowscore(shop, "try", "--", *psql(server, "select * from orders"))
    assert result.exit_code == 0
    assert "No changes." in result.stdout
    assert list(sessions_by_state(shop)) == ["discarded"]


def test_the_command_learns_of_the_session_and_of_no_other_way_in(shop: str) -> None:
    program = (
        "import json, os, psycopg\n"
        "names = ('DATABASE_URL', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGHOST', 'PGPORT', 'COWSCORE_SESSION')\n"
        "assert all(os.environ[name] for name in names)\n"
        "assert 'COWSCORE_DSN' not in os.environ\n"
        "with psycopg.connect(os.environ['DATABASE_URL']) as c, psycopg.connect('') as d:\n"
        "    assert c.info.user == d.info.user\n"
        "    (session,) = c.execute('select cowscore.session()').fetchone()\n"
        "    assert str(session) == os.environ['COWSCORE_SESSION']\n"
        "    c.execute(\"update customers set name = 'seen' where id = 1\")\n"
    )
    facts = printed_json(cowscore(shop, "try", "--name", "probe", "--json", "--", sys.executable, "-c", program))
    assert facts["exit_code"] == 0
    assert [row["after"]["name"] for row in facts["diff"]] == ["seen"]


@pytest.mark.parametrize(("answer", "orders"), [("commit\n", 2), ("what?\nd\n", 1), ("\n", 1)])
def test_try_asks_at_a_terminal(server: servers.Server, shop: str, answer: str, orders: int) -> None:
    terminal, stdin = pty.openpty()
    command = [sys.executable, "-m", "cowscore.cli", "try", "--dsn", shop, "--", *psql(server, PLACE_ORDER)]
    os.write(terminal, answer.encode())
    process = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    os.close(terminal)
    os.close(stdin)
    assert "commit, keep or discard?" in process.stdout + process.stderr
    assert query(shop, "select count(*) from orders") == [(orders,)]


def test_ctrl_c_ends_the_command_and_still_shows_what_it_did(shop: str) -> None:
    program = (
        "import os, psycopg, time\n"
        "with psycopg.connect(os.environ['DATABASE_URL'], autocommit=True) as c:\n"
        "    with c.transaction():\n        c.execute(\"update customers set name = 'half' where id = 1\")\n"
        "    print('written', flush=True)\n    time.sleep(1000)\n"
    )
    command = [sys.executable, "-m", "cowscore.cli", "try", "--dsn", shop, "--", sys.executable, "-c", program]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, process_group=0
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate()
    assert process.returncode == 1, stderr
    assert "name: 'Ann' -> 'half'" in stdout
    assert UUID(sessions_by_state(shop)["closed"])
    assert query(shop, "select name from customers where id = 1") == [("Ann",)]
