"""Writes and reads on request, logged in by SASL.

Takes brokers, a topic, its number of partitions, a user and a password. Each line on standard input is a request, and
gets one line of JSON:

- "create": creates the topic.
- "write COUNT PREFIX": writes records PREFIX/PARTITION/NUMBER to each partition with one producer that lives until the
  end; the number that was acknowledged.
- "read COUNT": reads with a new consumer from offset 0 until there are so many records; the values of each partition.
"""

import json
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

brokers, topic, partitions, user, password = sys.argv[1:]
partitions = int(partitions)
DEADLINE_SECONDS = 150


def config(**more):
    return {
        "bootstrap.servers": brokers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": user,
        "sasl.password": password,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


producer = Producer(config(enable_idempotence=False, message_timeout_ms=60_000))


def create():
    admin = AdminClient(config())
    admin.create_topics([NewTopic(topic, partitions)])[topic].result(DEADLINE_SECONDS)


def write(count, prefix):
    acknowledged = 0

    def delivered(error, message):
        nonlocal acknowledged
        if error is None:
            acknowledged += 1

    for number in range(count):
        for partition in range(partitions):
            value = f"{prefix}/{partition}/{number}"
            producer.produce(topic, value, partition=partition, on_delivery=delivered)
        producer.poll(0)
        # So that there are several requests.
        time.sleep(0.01)
    producer.flush(DEADLINE_SECONDS)
    return acknowledged


def read(count):
    consumer = Consumer(config(group_id="unused", enable_auto_commit=False))
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    values = [[] for _ in range(partitions)]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while sum(map(len, values)) < count and time.monotonic() < deadline:
        for message in consumer.consume(100, 0.5):
            if message.error() is None:
                values[message.partition()].append(message.value().decode())
    # What should not be there would follow now.
    for message in consumer.consume(100, 2):
        if message.error() is None:
            values[message.partition()].append(message.value().decode())
    consumer.close()
    return values


for line in sys.stdin:
    request, *args = line.split()
    if request == "create":
        answer = create()
    elif request == "write":
        answer = write(int(args[0]), args[1])
    else:
        answer = read(int(args[0]))
    print(json.dumps(answer), flush=True)
