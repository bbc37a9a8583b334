"""What applications do with Confluent's REST proxy through `requests`: the flows of its documentation."""

import base64
import time

import requests
from scenarios import DEADLINE_SECONDS, equal, run, scenario

V2 = "application/vnd.kafka.v2+json"


def of(name):
    return f"application/vnd.kafka.{name}.v2+json"


def post(url, body=None, content_type=V2):
    answer = requests.post(url, json=body, headers={"Content-Type": content_type}, timeout=DEADLINE_SECONDS)
    if answer.status_code >= 300:
        raise AssertionError(f"{url}: {answer.status_code} {answer.text}")
    return answer.json() if answer.content else None


def write(url, topic, records, name="json"):
    answer = post(f"{url}/topics/{topic}", {"records": records}, of(name))
    equal([offset["error"] if "error" in offset else None for offset in answer["offsets"]], [None] * len(records))


def instance(url, group, name, format="json", **settings):
    settings = {"auto.offset.reset": "earliest", "consumer.request.timeout.ms": 2000, "fetch.min.bytes": 0, **settings}
    answer = post(f"{url}/consumers/{group}", {"name": name, "format": format, **settings})
    equal(answer["instance_id"], name)
    return answer["base_uri"]


def read(base, name, count):
    """The first reads of a subscription can be empty, until the group is balanced."""
    found = []
    end = time.monotonic() + DEADLINE_SECONDS
    while len(found) < count and time.monotonic() < end:
        answer = requests.get(f"{base}/records", headers={"Accept": of(name)}, timeout=DEADLINE_SECONDS)
        equal(answer.status_code, 200)
        found += answer.json()
    return found


@scenario("produce, subscribe, read, commit, delete")
def subscribe(url):
    write(url, "rest-json", [{"key": "a", "value": {"foo": number}} for number in range(10)])
    base = instance(url, "rest-group", "first", **{"auto.commit.enable": "false"})
    post(f"{base}/subscription", {"topics": ["rest-json"]})
    records = read(base, "json", 10)
    equal(sorted(record["value"]["foo"] for record in records), list(range(10)))
    post(f"{base}/offsets")
    committed = requests.request(
        "GET",
        f"{base}/offsets",
        json={"partitions": [{"topic": "rest-json", "partition": records[0]["partition"]}]},
        headers={"Content-Type": V2},
        timeout=DEADLINE_SECONDS,
    ).json()
    equal(committed["offsets"][0]["offset"], max(record["offset"] for record in records) + 1)
    equal(requests.delete(base, headers={"Content-Type": V2}, timeout=DEADLINE_SECONDS).status_code, 204)
    # The next instance of the group goes on behind what was committed.
    write(url, "rest-json", [{"key": "a", "value": {"foo": 10}}])
    base = instance(url, "rest-group", "second")
    post(f"{base}/subscription", {"topics": ["rest-json"]})
    equal([record["value"]["foo"] for record in read(base, "json", 1)], [10])
    equal(requests.delete(base, timeout=DEADLINE_SECONDS).status_code, 204)


@scenario("assign, seek, read as bytes")
def assign(url):
    values = [base64.b64encode(f"value-{number}".encode()).decode() for number in range(5)]
    write(url, "rest-binary", [{"value": value, "partition": 0} for value in values], "binary")
    base = instance(url, "rest-assigned", "one", "binary")
    place = {"topic": "rest-binary", "partition": 0}
    post(f"{base}/assignments", {"partitions": [place]})
    post(f"{base}/positions", {"offsets": [{**place, "offset": 3}]})
    equal([record["value"] for record in read(base, "binary", 2)], values[3:])
    post(f"{base}/positions/beginning", {"partitions": [place]})
    equal([record["value"] for record in read(base, "binary", 5)], values)
    equal(requests.delete(base, timeout=DEADLINE_SECONDS).status_code, 204)


@scenario("Avro with the registry")
def avro(url):
    schema = '{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}'
    answer = post(
        f"{url}/topics/rest-avro",
        {"value_schema": schema, "records": [{"value": {"name": "testUser"}}]},
        of("avro"),
    )
    equal(answer["offsets"][0]["offset"], 0)
    again = {"value_schema_id": answer["value_schema_id"], "records": [{"value": {"name": "second"}}]}
    post(f"{url}/topics/rest-avro", again, of("avro"))
    base = instance(url, "rest-avro-group", "one", "avro")
    post(f"{base}/subscription", {"topics": ["rest-avro"]})
    equal([record["value"]["name"] for record in read(base, "avro", 2)], ["testUser", "second"])
    equal(requests.delete(base, timeout=DEADLINE_SECONDS).status_code, 204)


@scenario("topics and partitions")
def listing(url):
    write(url, "rest-listed", [{"value": 1}])
    equal("rest-listed" in requests.get(f"{url}/topics", timeout=DEADLINE_SECONDS).json(), True)
    described = requests.get(f"{url}/topics/rest-listed", timeout=DEADLINE_SECONDS).json()
    equal(described["name"], "rest-listed")
    partitions = requests.get(f"{url}/topics/rest-listed/partitions", timeout=DEADLINE_SECONDS).json()
    equal([partition["partition"] for partition in partitions], [p["partition"] for p in described["partitions"]])


@scenario("mistakes have the codes of the proxy")
def mistakes(url):
    missing = requests.get(f"{url}/topics/rest-missing", timeout=DEADLINE_SECONDS)
    equal((missing.status_code, missing.json()["error_code"]), (404, 40401))
    gone = requests.get(f"{url}/consumers/none/instances/none/records", timeout=DEADLINE_SECONDS)
    equal((gone.status_code, gone.json()["error_code"]), (404, 40403))
    base = instance(url, "rest-mistakes", "one")
    again = requests.post(
        f"{url}/consumers/rest-mistakes", json={"name": "one"}, headers={"Content-Type": V2}, timeout=DEADLINE_SECONDS
    )
    equal((again.status_code, again.json()["error_code"]), (409, 40902))
    other = requests.get(f"{base}/records", headers={"Accept": of("avro")}, timeout=DEADLINE_SECONDS)
    equal((other.status_code, other.json()["error_code"]), (406, 40601))
    equal(requests.delete(base, timeout=DEADLINE_SECONDS).status_code, 204)


run()
