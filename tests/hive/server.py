#!/usr/bin/env python3
"""The hive's server, from outside: what it answers is what its description says; what is malformed harms nobody; what
it took is there once, however it is killed; several servers are one hive: server.py --bin DIRECTORY [--seed N] [--fuzz N]"""
import argparse
import concurrent.futures
import http.client
import os
import random
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from hive_server import BUILD, HiveServer, result  # noqa: E402


# ---- its description ----

def fault(schema, value, schemas, where="body"):
    """Why a value is not as a schema has it; None: it is."""
    if "$ref" in schema:
        return fault(schemas[schema["$ref"].rsplit("/", 1)[1]], value, schemas, where)
    for part in schema.get("allOf", []):
        found = fault(part, value, schemas, where)
        if found:
            return found
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    kind = schema.get("type")
    if kind and (not isinstance(value, kinds[kind]) or (kind != "boolean" and isinstance(value, bool))):
        return f"{where} is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is {value!r}"
    if "pattern" in schema and not re.match(schema["pattern"], value):
        return f"{where} is {value!r}"
    if kind == "array":
        found = [fault(schema["items"], each, schemas, f"{where}[{i}]") for i, each in enumerate(value)]
        return next((each for each in found if each), None)
    if kind == "object":
        for name in schema.get("required", []):
            if name not in value:
                return f"{where}.{name} is missing"
        for name, each in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            found = fault(inner, each, schemas, f"{where}.{name}") if isinstance(inner, dict) else None
            if found:
                return found
    return None


def answers_as_described(norn, directory):
    with HiveServer(norn, os.path.join(directory, "described.db")) as hive:
        tokens = {role: hive.token(role, f"a {role}") for role in ("site", "developer", "admin")}
        described = hive.get("/api/v1/openapi.json", "")
        schemas, asked = described["components"]["schemas"], set()

        def ask(method, path, role, body=None, template=None, status=200):
            got, answer = hive.ask(method, path, tokens.get(role, ""), body)
            assert got == status, (method, path, got, answer)
            operation = described["paths"][template or path][method.lower()]
            content = operation["responses"][str(status)]["content"]
            if "application/json" in content:
                wrong = fault(content["application/json"]["schema"], answer, schemas)
                assert wrong is None, f"{method} {path}: {wrong}"
            request = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if request and status < 300:
                assert fault(request["schema"], body, schemas) is None, (path, body)
            asked.add((method.lower(), template or path))
            return answer

        one = "/api/v1/versions/{build}"
        hive.submit(tokens["developer"], 3)
        ask("GET", "/api/v1/openapi.json", "")
        ask("GET", "/api/v1/health", "")
        ask("POST", "/api/v1/versions", "developer",
            {"build": BUILD, "program": "bank", "label": "2", "records": "", "sources": {}})
        race = ask("POST", "/api/v1/tasks", "site", {"builds": [BUILD, "beef"]})["tasks"][0]["race"]
        stack = [{"module": "bank", "offset": "11d0"}]
        ask("POST", "/api/v1/results", "site", {"results": [
            result(1, race, "race", "primary", detail={"stacks": [stack, stack], "facts": ["shared"]}),
            result(2, race, "crash", detail={"signal": 11, "stacks": [stack]})]})
        ask("GET", "/api/v1/versions", "developer")
        ask("PUT", f"/api/v1/versions/{BUILD}/file", "developer", b"\x7fELF", one + "/file")
        assert ask("GET", f"/api/v1/versions/{BUILD}/file", "developer", None, one + "/file") == b"\x7fELF"
        ask("GET", f"/api/v1/versions/{BUILD}/candidates", "developer", None, one + "/candidates")
        full = ask("GET", f"/api/v1/versions/{BUILD}/candidates/{race}", "developer", None, one + "/candidates/{race}")
        assert full["verdict"] == "true-race" and full["reason"] == "crash", full
        ask("GET", f"/api/v1/versions/{BUILD}/failures", "developer", None, one + "/failures")
        ask("GET", "/api/v1/sites", "developer")
        ask("GET", "/api/v1/casebook", "developer")
        made = ask("POST", "/api/v1/tokens", "admin", {"role": "site", "name": "new"}, status=201)
        ask("GET", "/api/v1/tokens", "admin")
        ask("DELETE", f"/api/v1/tokens/{made['id']}", "admin", None, "/api/v1/tokens/{id}")
        ask("PUT", f"/api/v1/tokens/{made['id']}", "admin", {}, "/api/v1/tokens/{id}")
        ask("GET", "/api/v1/versions/beef/failures", "developer", None, one + "/failures", 404)
        ask("GET", "/api/v1/sites", "", status=401)
        ask("GET", "/api/v1/sites", "site", status=403)
        ask("POST", "/api/v1/results", "site", {"results": [{}]}, status=400)
        everything = {(method, path) for path, methods in described["paths"].items() for method in methods}
        assert asked == everything, everything - asked


# ---- what is malformed ----

def say(port, data, patience=15):
    """What a server answers to bytes, until it ends the connection or says nothing for so many seconds. It may end the
    connection before all are said."""
    got = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
            connection.sendall(data)
            while part := connection.recv(65536):
                got += part
    except (ConnectionError, TimeoutError):
        pass
    return got


def statuses(answer):
    return [int(each) for each in re.findall(rb"^HTTP/1\.1 (\d{3})", answer, re.MULTILINE)]


def refuses_malformed_requests(norn, directory):
    with HiveServer(norn, os.path.join(directory, "malformed.db")) as hive:
        site, developer = hive.token("site", "s"), hive.token("developer", "d")
        who = f"Authorization: Bearer {site}\r\n"
        json_type = "Content-Type: application/json\r\n"

        def post(headers, body="", path="/api/v1/results"):
            return say(hive.port, f"POST {path} HTTP/1.1\r\nHost: h\r\n{headers}\r\n{body}".encode("latin1"))

        smuggled = f"GET /api/v1/sites HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {developer}\r\nConnection: close\r\n\r\n"
        cases = [
            (who + json_type, "", 411),
            (who + json_type + "Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n", 411),
            (who + json_type + "Content-Length: 2\r\nContent-Encoding: gzip\r\n", "{}", 415),
            (who + "Content-Length: 2\r\n", "{}", 415),
            (who + json_type + "Content-Length: 99999999\r\n", "{}", 413),
            (who + json_type + "Content-Length: +2\r\n", "{}", 400),
            (who + json_type + "Content-Length: 2\r\nContent-Length: 4\r\n", "{}{}", 411),
            (who + json_type + "Content-Length: 2\r\nRange: bytes=0-1\r\n", "{}", 400),
            (json_type + f"Content-Length: {len(smuggled)}\r\n", smuggled, 401),
            (json_type + "Transfer-Encoding: chunked\r\n", smuggled, 411),
        ]
        for headers, body, wanted in cases:
            got = statuses(post(headers, body))
            assert got == [wanted], (headers, wanted, got)
        assert statuses(post(who, "", "/" + "a" * 600)) == [414]
        # One connection, a refusal and then a request: each gets its own answer.
        connection = http.client.HTTPConnection("127.0.0.1", hive.port)
        for token, wanted in ((site, 403), (developer, 200)):
            connection.request("POST" if token == site else "GET", "/api/v1/versions", "{}" if token == site else None,
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == wanted, answer.status
        connection.close()
        hive.get("/api/v1/sites", developer)


def survives_noise(norn, directory, seed, number):
    """Random bytes, and requests of which some bytes are others."""
    random.seed(seed)
    with HiveServer(norn, os.path.join(directory, "noise.db"), "--rate=10000") as hive:
        site, developer = hive.token("site", "s"), hive.token("developer", "d")
        hive.submit(developer, 2)
        race = hive.task(site)["race"]
        body = str({"results": [result(1, race, "race", "primary", detail={"signal": 0, "stacks": [[], []]})]})
        body = body.replace("'", '"')
        whole = (f"POST /api/v1/results HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {site}\r\n"
                 f"Content-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
        begins = whole.index(b"\r\n\r\n") + 4

        def noise(index):
            chance = random.Random(seed * 1_000_003 + index)
            data = bytearray(whole)
            kind = index % 4
            if kind == 0:
                data = bytearray(chance.randbytes(chance.randrange(1, 3000)))
            elif kind == 3:
                data = data[:chance.randrange(len(data))]
            else:
                first = 0 if kind == 1 else begins
                for _ in range(chance.randrange(1, 8)):
                    at = chance.randrange(first, len(data))
                    data[at] = chance.choice(b"\x00\xff{}[]\",:0-9e\r\n \\") if chance.random() < 0.7 else chance.randrange(256)
            for status in statuses(say(hive.port, bytes(data), 0.3)):
                assert status < 500, (status, bytes(data))

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(noise, range(number)))
        assert hive.process.poll() is None
        # What was taken of it, if anything, was a well-formed result of this site.
        seen = hive.get(f"/api/v1/versions/{BUILD}/candidates/{race}", developer)
        assert all(each["kind"] in ("race", "no-race") or each["site_name"] == "s" for each in seen["history"])


# ---- what is killed ----

def loses_nothing(norn, database, sites, results_each, servers=2):
    """Sites send results to several servers, each of which is killed with -9 in the middle and started again. A site
    sends what was not acknowledged again, as its agent does."""
    hives = [HiveServer(norn, database, "--rate=100000").start() for _ in range(servers)]
    try:
        developer = hives[0].token("developer", "d")
        hives[0].submit(developer, 1)
        tokens = [hives[0].token("site", f"s{i}") for i in range(sites)]
        for token in tokens:
            assert hives[0].task(token)["race"] == f"{1:012x}"

        def send(index):
            again = 0
            for number in range(results_each):
                body = {"results": [result(index * 1_000_000 + number, f"{1:012x}", "not-aliasing")]}
                for attempt in range(10_000):
                    hive = hives[(index + number + attempt) % servers]
                    try:
                        status, answer = hive.ask("POST", "/api/v1/results", tokens[index], body)
                    except (OSError, http.client.HTTPException):
                        again += 1
                        continue
                    if status == 200:
                        assert answer["taken"] + answer["known"] == 1, answer
                        break
                    assert status == 503, (status, answer)
                else:
                    raise AssertionError("no server took it")
            return again

        with concurrent.futures.ThreadPoolExecutor(sites) as pool:
            sent = [pool.submit(send, index) for index in range(sites)]
            kills = 0
            while not all(each.done() for each in sent):
                hives[kills % servers].kill()
                hives[kills % servers].start()
                kills += 1
            again = sum(each.result() for each in sent)
        seen = hives[0].get(f"/api/v1/versions/{BUILD}/candidates/{1:012x}", developer)
        assert seen["results"]["not-aliasing"] == {"count": sites * results_each, "sites": sites}, seen["results"]
        assert seen["executions"] == sites * results_each
        assert kills > 0
        print(f"  {sites * results_each} results, {kills} kills, {again} requests without an answer")
    finally:
        for hive in hives:
            if hive.process.poll() is None:
                hive.kill()


# ---- the verbs ----

def verbs_say_what_is_wrong(norn, directory):
    with HiveServer(norn, os.path.join(directory, "verbs.db")) as hive:
        developer, admin = hive.token("developer", "d"), hive.token("admin", "a")
        hive.submit(developer, 2)

        def run(*words, token=developer, **environment):
            return subprocess.run([norn, "hive", *words], capture_output=True, text=True, cwd=directory, timeout=60,
                                  env={**os.environ, "NORN_HIVE": hive.url, "NORN_HIVE_TOKEN": token, **environment})

        def wrong(said, *words, **options):
            got = run(*words, **options)
            assert got.returncode == 2 and got.stdout == "", (words, got)
            assert got.stderr.count("\n") == 1 and said in got.stderr, (words, got.stderr)

        wrong("norn hive run", token="")
        wrong("did you mean norn hive serve?", "serv")
        wrong("say which hive", "status", NORN_HIVE="")
        wrong("no token", "status", token="")
        wrong("no such token", "status", token="norn_developer_00")
        wrong("needs a token of a admin", "token", "list", "--hive=" + hive.url)
        wrong("without TLS", "status", "--hive=http://hive.example.org")
        wrong("no address", "status", "--hive=hive.example.org")
        wrong("nobody listens", "status", "--hive=http://127.0.0.1:1")
        wrong("no program or build ship", "status", "ship")
        wrong("no such candidate", "status", "bank", "Rbeef")
        wrong("which program", "submit")
        wrong("nothing.here", "submit", "nothing.here")
        wrong("can be reached by others", "serve", "--listen=0.0.0.0:0")
        wrong("belong together", "serve", "--tls-cert=x.pem")
        wrong("x.pem cannot be read", "serve", "--tls-cert=x.pem", "--tls-key=y.pem")
        wrong("no address", "serve", "--listen=127.0.0.1:port")
        wrong("something else there", "serve", f"--listen=127.0.0.1:{hive.port}", "--db=other.db")
        wrong("not site, developer or admin", "token", "add", "--role=king", "x")
        wrong("no token", "token", "withdraw", "0123", "--db=other.db")
        wrong("did you mean --listen?", "serve", "--lisen=1")
        for verb in ("serve", "token", "submit", "status"):
            help_text = subprocess.run([norn, "help", "hive", verb], capture_output=True, text=True, check=True).stdout
            assert help_text.startswith(f"norn hive {verb} ") and "Examples:" in help_text, help_text
        assert "2 unknown" in run("status").stdout
        assert "account1" in run("status", "bank").stdout
        assert run("status", "bank", "R" + f"{2:012x}").returncode == 0
        added = run("token", "add", "--role=site", "desk", "--hive=" + hive.url, token=admin)
        assert added.stdout.startswith("norn_site_"), added
        row = next(each for each in run("token", "list", token=admin).stdout.splitlines() if each.endswith("desk"))
        assert run("token", "withdraw", row.split()[0], token=admin).returncode == 0
        assert hive.ask("POST", "/api/v1/tasks", added.stdout.strip(), {"builds": [BUILD]})[0] == 401


def speaks_tls(norn, directory):
    key, certificate = os.path.join(directory, "key.pem"), os.path.join(directory, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days",
                    "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    with HiveServer(norn, os.path.join(directory, "tls.db"), f"--tls-cert={certificate}", f"--tls-key={key}") as hive:
        environment = {**os.environ, "NORN_HIVE": hive.url, "NORN_HIVE_TOKEN": hive.token("developer", "d")}

        def status(*options):
            return subprocess.run([norn, "hive", "status", *options], env=environment, capture_output=True, text=True)

        assert hive.url.startswith("https://")
        trusted = status(f"--authority={certificate}")
        assert trusted.returncode == 0, trusted
        assert "not trusted" in status().stderr
    swapped = subprocess.run([norn, "hive", "serve", "--listen=127.0.0.1:0", f"--tls-cert={key}", f"--tls-key={certificate}",
                              f"--db={directory}/tls.db"], capture_output=True, text=True)
    assert swapped.returncode == 2 and "cannot be used" in swapped.stderr, swapped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fuzz", type=int, default=400, help="malformed requests")
    options = parser.parse_args()
    norn = os.path.join(os.path.abspath(options.bin), "norn")
    for name in ("NORN_HIVE", "NORN_HIVE_TOKEN"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="norn-hive-") as directory:
        for test, arguments in (
                (answers_as_described, (directory,)),
                (refuses_malformed_requests, (directory,)),
                (survives_noise, (directory, options.seed, options.fuzz)),
                (loses_nothing, (os.path.join(directory, "killed.db"), 6, 12)),
                (verbs_say_what_is_wrong, (directory,)),
                (speaks_tls, (directory,))):
            print(test.__name__)
            test(norn, *arguments)


if __name__ == "__main__":
    main()
