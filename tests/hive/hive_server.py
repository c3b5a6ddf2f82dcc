"""A norn hive serve for a test, and what speaks to it in plain HTTP."""
import http.client
import json
import os
import re
import signal
import subprocess

BUILD = "0123456789abcdef0123456789abcdef01234567"


def record(number, sites):
    """A candidate, as norn static writes it."""
    accesses = [{"op": op, "size": 4, "site": {"function": "work", "file": "bank.c", "line": 10 + number},
                 "site_id": hex(site)} for op, site in zip(("write", "read"), sites)]
    return json.dumps({"record": "race", "pid": 1, "id": f"{number:012x}", "standing": "static",
                       "location": {"name": f"account{number}", "kind": "global"}, "accesses": accesses})


def records(number):
    """So many candidates; the sites of candidate i are 1000+i and 2000+i."""
    lines = ['{"record":"start","norn":1,"pid":1,"program":"bank","engine":"static","front_end":"static"}']
    lines += [record(i, (0x1000 + i, 0x2000 + i)) for i in range(1, number + 1)]
    return "\n".join(lines + ['{"record":"end","pid":1,"exit":0}']) + "\n"


class Refused(Exception):
    pass


class HiveServer:
    """As a context. kill() ends it as a crash would, start() starts it again where it was."""

    def __init__(self, norn, database, *options):
        self.norn, self.database, self.options = norn, database, options
        self.port, self.process = 0, None

    def start(self):
        self.process = subprocess.Popen(
            [self.norn, "hive", "serve", f"--db={self.database}", f"--listen=127.0.0.1:{self.port}", *self.options],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"(https?)://127\.0\.0\.1:(\d+)", line)
        assert found, line
        self.scheme, self.port = found[1], int(found[2])
        return self

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(timeout=60) == 0
        self.process.stdout.close()

    def token(self, role, name):
        out = subprocess.run([self.norn, "hive", "token", "add", f"--role={role}", f"--db={self.database}", name],
                             capture_output=True, text=True, check=True).stdout
        return out.strip()

    def ask(self, method, path, token="", body=None, headers=None):
        """(status, body), the body read as JSON where it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            given["Content-Type"] = "application/octet-stream" if isinstance(body, bytes) else "application/json"
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, body, {**given, **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(content) if is_json else content

    def get(self, path, token):
        status, body = self.ask("GET", path, token)
        assert status == 200, (path, status, body)
        return body

    def submit(self, developer, candidates, build=BUILD):
        status, body = self.ask("POST", "/api/v1/versions", developer,
                                {"build": build, "program": "bank", "label": "1", "records": records(candidates)})
        assert status in (200, 201) and body["candidates"] == candidates, (status, body)

    def task(self, site, build=BUILD):
        status, body = self.ask("POST", "/api/v1/tasks", site, {"builds": [build]})
        assert status == 200, body
        return body["tasks"][0] if body["tasks"] else None


def result(number, race, kind, order="none", build=BUILD, **more):
    return {"id": f"{number:016x}", "build": build, "race": race, "execution": f"{number:016x}", "kind": kind,
            "order": order, "tau": 1000, "spent": 10, "lived": 1000, **more}
