#!/usr/bin/env python3
"""Many sites at several servers over one PostgreSQL: load.py --bin BUILD/bin [--sites 10000] [--servers 3]

Each site has a token of its own, asks for a task, and sends results of it, as its agent would, through HTTP. First
nothing is killed, and requests a second and their 99th percentile are told. Then every site sends again while servers
and the database are killed with -9, one after the other; a request without an answer is sent again. At the end each
result that any server acknowledged must be counted once. Part of make test-long.
"""

import argparse
import concurrent.futures
import http.client
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import postgres_server  # noqa: E402
from hive_server import BUILD, HiveServer, result  # noqa: E402

CANDIDATES = 40
PROCESSES, THREADS = 3, 8


class Client:
    """Connections of one thread, one a server, kept."""

    def __init__(self, ports):
        self.ports, self.open = ports, {}

    def ask(self, server, path, token, body):
        """(status, body); None: no answer."""
        try:
            connection = self.open.get(server)
            if connection is None:
                connection = self.open[server] = http.client.HTTPConnection("127.0.0.1", self.ports[server], timeout=30)
            connection.request("POST", path, json.dumps(body),
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.open.pop(server).close()
            return None


def sites_at_work(ports, sites, round_, patient, times, again):
    """Each site: a task, and a result of it. `patient`: until somebody takes them."""
    client = Client(ports)
    for number, token in sites:
        server = number % len(ports)
        task = None
        for path, body in (("/api/v1/tasks", {"builds": [BUILD]}), ("/api/v1/results", None)):
            if body is None:
                race = task["race"]
                body = {"results": [result(round_ * 10_000_000 + number, race, "not-aliasing")]}
            while True:
                begin = time.monotonic()
                answer = client.ask(server, path, token, body)
                if answer is not None and answer[0] == 200:
                    times[path].append(time.monotonic() - begin)
                    break
                assert patient, answer
                assert answer is None or answer[0] in (401, 503), answer
                again[0] += 1
                server = (server + 1) % len(ports)
                time.sleep(0.02)
            if path.endswith("tasks"):
                task = answer[1]["tasks"][0]
            else:
                assert answer[1]["taken"] + answer[1]["known"] == 1, answer


def process_at_work(ports, sites, round_, patient, said):
    times, again, failures = {"/api/v1/tasks": [], "/api/v1/results": []}, [0], []

    def work(part):
        try:
            sites_at_work(ports, part, round_, patient, times, again)
        except Exception as error:  # told by who started it
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(sites[i::THREADS],)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said.put((times, again[0], failures))


def round_of(hives, sites, round_, patient, meanwhile=lambda: False):
    """(times by path, requests without an answer, seconds)"""
    said = multiprocessing.Queue()
    begin = time.monotonic()
    ports = [hive.port for hive in hives]
    workers = [multiprocessing.Process(target=process_at_work, args=(ports, sites[i::PROCESSES], round_, patient, said))
               for i in range(PROCESSES)]
    for worker in workers:
        worker.start()
    all_said = []
    while len(all_said) < PROCESSES:
        if not said.empty():
            all_said.append(said.get())
        elif not meanwhile():
            time.sleep(0.05)
    seconds = time.monotonic() - begin
    for worker in workers:
        worker.join()
    failures = [failure for _, _, each in all_said for failure in each]
    assert not failures, failures[:3]
    times = {path: [each for part, _, _ in all_said for each in part[path]] for path in all_said[0][0]}
    return times, sum(again for _, again, _ in all_said), seconds


def percentile(times, share):
    return 1000 * sorted(times)[int(share * (len(times) - 1))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--servers", type=int, default=3)
    options = parser.parse_args()
    if postgres_server.programs() is None:
        sys.exit("load.py: no PostgreSQL; type: tools/install-packages hive")
    norn = os.path.join(os.path.abspath(options.bin), "norn")
    with postgres_server.PostgresServer() as postgres, tempfile.TemporaryDirectory():
        hives = [HiveServer(norn, postgres.address, "--rate=100000").start() for _ in range(options.servers)]
        try:
            developer, admin = hives[0].token("developer", "d"), hives[0].token("admin", "a")
            hives[0].submit(developer, CANDIDATES)
            begin = time.monotonic()
            ports = [hive.port for hive in hives]

            def made(i):
                status, body = Client(ports).ask(i % len(ports), "/api/v1/tokens", admin,
                                                 {"role": "site", "name": f"s{i}"})
                assert status == 201, body
                return i, body["token"]

            with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
                sites = list(pool.map(made, range(options.sites)))
            print(f"{options.sites} sites, {options.servers} servers; tokens made in {time.monotonic() - begin:.0f} s",
                  flush=True)
            times, again, seconds = round_of(hives, sites, 1, False)
            for path, each in times.items():
                print(f"{path}: {len(each)} requests, {len(each) / seconds:.0f} a second, "
                      f"median {percentile(each, 0.5):.1f} ms, p99 {percentile(each, 0.99):.1f} ms", flush=True)
            kills = {"server": 0, "database": 0}
            last = [time.monotonic()]

            def kill():
                if time.monotonic() - last[0] < 1.5:
                    return False
                if (kills["server"] + kills["database"]) % 4 == 3:
                    postgres.kill()
                    postgres.start()
                    kills["database"] += 1
                else:
                    hive = hives[kills["server"] % len(hives)]
                    hive.kill()
                    hive.start()
                    kills["server"] += 1
                last[0] = time.monotonic()
                return True

            times, again, seconds = round_of(hives, sites, 2, True, kill)
            assert min(kills.values()) > 0, kills
            print(f"with kill -9: {kills['server']} servers, {kills['database']} times the database; "
                  f"{again} requests sent again", flush=True)
            status, seen = hives[0].ask("GET", f"/api/v1/versions/{BUILD}/candidates", developer)
            assert status == 200, seen
            counted = sum(each["results"].get("not-aliasing", {"count": 0})["count"] for each in seen["candidates"])
            assert counted == 2 * options.sites, (counted, 2 * options.sites)
            print(f"{counted} results acknowledged, each counted once")
        finally:
            for hive in hives:
                if hive.process.poll() is None:
                    hive.kill()


if __name__ == "__main__":
    main()
