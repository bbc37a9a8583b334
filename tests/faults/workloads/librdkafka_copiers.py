"""Copies a topic in transactions with librdkafka, as members of a group, until standard input ends; default timeouts."""

import json
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

bootstrap, source, target, partition_count = sys.argv[1:5]
partition_count = int(partition_count)
GROUP = "rdkafka-copiers"
OPERATION_SECONDS = 20
FLUSH_SECONDS = 80
is_over = threading.Event()
is_written = threading.Event()
lock = threading.Lock()


def tell(**event):
    with lock:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def note(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def config(**more):
    return {
        "bootstrap.servers": bootstrap,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def write_source():
    producer = Producer(config(enable_idempotence=True, linger_ms=5))
    number = 0

    def acknowledged(partition, value):
        def delivered(error, message):
            if error is None:
                offset = message.offset()
                tell(type="acknowledge", topic=source, partition=partition, value=value, offset=offset)

        return delivered

    while not is_written.is_set():
        partition = number % partition_count
        value = f"source-{partition}-{number}"
        tell(type="write", topic=source, partition=partition, value=value, producer="rdkafka-source")
        producer.produce(source, value, partition=partition, on_delivery=acknowledged(partition, value))
        producer.poll(0)
        number += 1
        time.sleep(0.02)
    left = producer.flush(FLUSH_SECONDS)
    if left > 0:
        raise RuntimeError(f"{left} records were not acknowledged")


class Copier:
    def __init__(self, name):
        self.name = name
        self.number = 0
        self.producer = None
        self.consumer = Consumer(
            config(group_id=GROUP, enable_auto_commit=False, auto_offset_reset="earliest", client_id=name)
        )

    def work(self):
        self.consumer.subscribe([source])
        while not is_over.is_set():
            messages = [message for message in self.consumer.consume(50, 0.3) if message.error() is None]
            if not messages:
                continue
            try:
                if self.producer is None:
                    # Its name is known to no other process, so that an epoch fences only the instance before.
                    self.producer = Producer(config(transactional_id=self.name, linger_ms=5))
                    self.producer.init_transactions(OPERATION_SECONDS)
                self.copy(messages)
            except KafkaException as problem:
                note(f"{self.name}: {problem.args[0]}")
                self.producer = None
                self.rewind()
        self.consumer.close()

    def copy(self, messages):
        self.number += 1
        transaction = f"{self.name}-{self.number}"
        self.producer.begin_transaction()
        positions = {}
        for message in messages:
            partition, offset = message.partition(), message.offset()
            value = f"{transaction}/{partition}/{offset}"
            tell(
                type="write",
                topic=target,
                partition=partition,
                value=value,
                producer=GROUP,
                transaction=transaction,
                source={"group": GROUP, "topic": source, "partition": partition, "offset": offset},
            )
            self.producer.produce(target, value, partition=partition)
            positions[partition] = TopicPartition(source, partition, offset + 1)
        member = self.consumer.consumer_group_metadata()
        offsets = list(positions.values())
        is_sent = self.retry(lambda: self.producer.send_offsets_to_transaction(offsets, member, OPERATION_SECONDS))
        if is_sent:
            tell(type="askCommit", transaction=transaction)
            if self.retry(lambda: self.producer.commit_transaction(OPERATION_SECONDS)):
                tell(type="committed", transaction=transaction)
                return
        self.retry(lambda: self.producer.abort_transaction(OPERATION_SECONDS))
        if not is_sent:
            tell(type="aborted", transaction=transaction)
        self.rewind()

    def retry(self, act):
        """Returns whether it was done; False if the transaction has to be aborted."""
        while True:
            try:
                act()
                return True
            except KafkaException as problem:
                error = problem.args[0]
                note(f"{self.name}: {error}")
                if error.retriable():
                    continue
                if error.txn_requires_abort():
                    return False
                raise

    def rewind(self):
        """Goes back to what the group has committed."""
        while not is_over.is_set():
            try:
                for position in self.consumer.committed(self.consumer.assignment(), OPERATION_SECONDS):
                    if position.offset < 0:
                        position.offset = 0
                    self.consumer.seek(position)
                return
            except KafkaException as problem:
                note(f"{self.name}: rewind: {problem.args[0]}")


def read_target():
    consumer = Consumer(config(group_id="rdkafka-readers", auto_offset_reset="earliest"))
    consumer.assign([TopicPartition(target, partition, 0) for partition in range(partition_count)])
    while not is_over.is_set():
        for message in consumer.consume(200, 0.3):
            if message.error() is None:
                tell(
                    type="read",
                    reader="rdkafka-reader",
                    isLast=False,
                    topic=target,
                    partition=message.partition(),
                    offset=message.offset(),
                    value=message.value().decode(),
                )
    consumer.close()


failures = []


def start(work):
    def guarded():
        try:
            work()
        except BaseException as problem:  # The program must end with it, whatever it is.
            failures.append(problem)
            note(f"{work}: {problem!r}")

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread


writer = start(write_source)
others = [start(Copier("copier-a").work), start(Copier("copier-b").work), start(read_target)]
sys.stdin.readline()
is_written.set()
writer.join()
tell(type="written")
sys.stdin.read()
is_over.set()
for thread in others:
    thread.join()
if failures:
    sys.exit(1)
tell(type="done")
