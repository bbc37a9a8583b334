"""What the programs on librdkafka share: they report events, one JSON object per line, and write a topic of values."""

import json
import sys
import threading
import time

from confluent_kafka import Producer

FLUSH_SECONDS = 80
lock = threading.Lock()
failures = []


def tell(**event):
    with lock:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def note(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def config(bootstrap, **more):
    return {
        "bootstrap.servers": bootstrap,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def acknowledged(topic, partition, value):
    def delivered(error, message):
        if error is None:
            tell(type="acknowledge", topic=topic, partition=partition, value=value, offset=message.offset())

    return delivered


def write_values(config, topic, partition_count, name, is_over):
    """Acknowledged values must be there once and in order; librdkafka itself tries again."""
    producer = Producer({**config, "enable.idempotence": True, "linger.ms": 5})
    number = 0
    while not is_over.is_set():
        partition = number % partition_count
        value = f"{name}-{partition}-{number}"
        tell(type="write", topic=topic, partition=partition, value=value, producer=name)
        producer.produce(topic, value, partition=partition, on_delivery=acknowledged(topic, partition, value))
        producer.poll(0)
        number += 1
        time.sleep(0.02)
    left = producer.flush(FLUSH_SECONDS)
    if left > 0:
        raise RuntimeError(f"{left} records were not acknowledged")


def start(work, *args):
    def guarded():
        try:
            work(*args)
        except BaseException as problem:  # The program must end with it, whatever it is.
            failures.append(problem)
            note(f"{work}: {problem!r}")

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread


def finish(threads):
    for thread in threads:
        thread.join()
    if failures:
        sys.exit(1)
    tell(type="done")
