"""Commits offsets in transactions before and after an agent is killed.

Takes a broker, a topic and a number of producers. Prints "ready" when each has committed, and after a line on standard
input the result of the next commit of each, as JSON.
"""

import json
import os
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

broker, topic, producer_count = sys.argv[1], sys.argv[2], int(sys.argv[3])
DEADLINE_SECONDS = 100


def config(**more):
    return {
        "bootstrap.servers": broker,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def commit_offsets(producer, group):
    """Commits offsets of a group that has no members."""
    producer.begin_transaction()
    producer.produce(topic, "value")
    metadata = group.consumer_group_metadata()
    producer.send_offsets_to_transaction([TopicPartition(topic, 0, 1)], metadata, DEADLINE_SECONDS)
    producer.commit_transaction(DEADLINE_SECONDS)


producers = [Producer(config(transactional_id=f"producer-{number}")) for number in range(producer_count)]
groups = [Consumer(config(group_id=f"group-{number}")) for number in range(producer_count)]
for producer, group in zip(producers, groups):
    producer.init_transactions(DEADLINE_SECONDS)
    commit_offsets(producer, group)
print("ready", flush=True)

sys.stdin.readline()
# The answer lists the brokers, and librdkafka drops the others.
for producer in producers:
    producer.list_topics(topic, DEADLINE_SECONDS)
results = ["no result"] * producer_count


def work(number):
    try:
        commit_offsets(producers[number], groups[number])
        results[number] = "done"
    except KafkaException as problem:
        results[number] = problem.args[0].name()


# In threads, because the calls may outlast their timeouts.
threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(producer_count)]
for thread in threads:
    thread.start()
deadline = time.monotonic() + DEADLINE_SECONDS
for thread in threads:
    thread.join(max(0, deadline - time.monotonic()))
print(json.dumps(results), flush=True)
# Threads that hang would keep the process.
os._exit(0)
