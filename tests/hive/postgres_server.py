"""Debian's PostgreSQL, started for a test in a directory of its own, and ended with it."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def programs():
    """The directory of the newest server; None: there is none (tools/install-packages hive)."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


class PostgresServer:
    """As a context: .address is what --db takes. kill() ends it as a crash would, start() starts it again."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="norn-postgres-")
        # It refuses to run as root.
        self.user = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.directory, account.pw_uid, account.pw_gid)
            self.user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        self.data = os.path.join(self.directory, "data")
        self.run("initdb", "-D", self.data, "-U", "norn", "--auth=trust", "-N", "--locale=C.UTF-8")
        self.address = f"postgresql://norn@/postgres?host={self.directory}"
        self.process = None

    def run(self, program, *arguments):
        subprocess.run([*self.user, os.path.join(programs(), program), *arguments], check=True, cwd=self.directory,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.user, os.path.join(programs(), "postgres"), "-D", self.data, "-k", self.directory, "-c",
                 "listen_addresses=", "-c", "max_connections=100"],
                stdout=log, stderr=log, cwd=self.directory, start_new_session=True)
        for _ in range(600):
            if subprocess.run([os.path.join(programs(), "pg_isready"), "-q", "-h", self.directory]).returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("PostgreSQL did not start: " + open(os.path.join(self.directory, "log")).read())

    def kill(self):
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
