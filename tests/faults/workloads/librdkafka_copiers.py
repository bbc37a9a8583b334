"""Copies a topic in transactions with librdkafka, as members of a group, until standard input ends; default timeouts."""

import sys
import threading

import librdkafka_events
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from librdkafka_events import finish, note, start, tell, write_values

bootstrap, source, target, partition_count = sys.argv[1:5]
partition_count = int(partition_count)
GROUP = "rdkafka-copiers"
OPERATION_SECONDS = 20
is_over = threading.Event()
is_written = threading.Event()


def config(**more):
    return librdkafka_events.config(bootstrap, **more)


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


writer = start(write_values, config(), source, partition_count, "rdkafka-source", is_written)
others = [start(Copier("copier-a").work), start(Copier("copier-b").work), start(read_target)]
sys.stdin.readline()
is_written.set()
writer.join()
tell(type="written")
sys.stdin.read()
is_over.set()
finish(others)
