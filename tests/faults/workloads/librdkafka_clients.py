"""An idempotent producer, a transactional producer and a consumer group, all librdkafka's, until standard input ends."""

import random
import sys
import threading
import time

import librdkafka_events
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from librdkafka_events import acknowledged, finish, note, start, tell, write_values

bootstrap, stream, transactions, partition_count = sys.argv[1:5]
partition_count = int(partition_count)
is_over = threading.Event()


def config(**more):
    return {
        **librdkafka_events.config(bootstrap, **more),
        "reconnect.backoff.max.ms": 1000,
        "socket.timeout.ms": 5000,
        "topic.metadata.refresh.interval.ms": 3000,
    }


def write_transactions(transactional_id):
    number = 0
    producer = None
    while not is_over.is_set():
        try:
            if producer is None:
                producer = Producer(
                    config(transactional_id=transactional_id, linger_ms=5, transaction_timeout_ms=20000)
                )
                producer.init_transactions(20)
            number += 1
            producer = transact(producer, transactional_id, f"{transactional_id}-{number}")
        except KafkaException as problem:
            note(f"{transactional_id}: {problem}")
            producer = None
        time.sleep(0.03)


def transact(producer, transactional_id, transaction):
    """Writes one transaction. Returns the producer, or None when it cannot be used any more."""
    producer.begin_transaction()
    for index in range(random.randint(1, 8)):
        partition = random.randrange(partition_count)
        value = f"{transaction}/{index}"
        tell(
            type="write",
            topic=transactions,
            partition=partition,
            value=value,
            producer=transactional_id,
            transaction=transaction,
        )
        on_delivery = acknowledged(transactions, partition, value)
        producer.produce(transactions, value, partition=partition, on_delivery=on_delivery)
        producer.poll(0)
    is_commit = random.random() > 0.2
    if is_commit:
        tell(type="askCommit", transaction=transaction)
    while True:
        try:
            if is_commit:
                producer.commit_transaction(20)
                tell(type="committed", transaction=transaction)
            else:
                producer.abort_transaction(20)
                tell(type="aborted", transaction=transaction)
            return producer
        except KafkaException as problem:
            error = problem.args[0]
            note(f"{transaction}: {error}")
            if error.retriable():
                continue
            if not error.txn_requires_abort():
                return None
            # The commit may have been asked for, which only the broker knows; what follows is all or nothing.
            is_commit = False


def consume(group, protocol):
    """Commits what was read, and holds the positions that it is told to what was acknowledged."""
    consumer = Consumer(
        config(
            group_id=group,
            group_protocol=protocol,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
    )
    consumer.subscribe([stream])
    base = 1_000_000_000 if protocol == "classic" else 2_000_000_000
    call = base
    next_look = 0.0
    while not is_over.is_set():
        messages = [message for message in consumer.consume(50, 0.3) if message.error() is None]
        offsets = {message.partition(): message.offset() + 1 for message in messages}
        if offsets:
            call += 1
            for partition, offset in offsets.items():
                tell(
                    type="commitOffset",
                    call=call,
                    generationId=0,
                    group=group,
                    topic=stream,
                    partition=partition,
                    offset=offset,
                )
            try:
                positions = [TopicPartition(stream, partition, offset) for partition, offset in offsets.items()]
                consumer.commit(offsets=positions, asynchronous=False)
                tell(type="offsetsCommitted", call=call)
            except KafkaException as problem:
                note(f"{group}: {problem}")
        if time.monotonic() > next_look:
            next_look = time.monotonic() + 1
            look(consumer, group, base + 500_000_000 + call)
    consumer.close()


def look(consumer, group, call):
    """Asks where the group is."""
    tell(type="fetchOffsets", call=call)
    try:
        found = consumer.committed([TopicPartition(stream, p) for p in range(partition_count)], timeout=5)
    except KafkaException as problem:
        note(f"{group}: {problem}")
        return
    for position in found:
        if position.error is None and position.offset >= 0:
            tell(
                type="offsetFetched",
                call=call,
                isLast=False,
                group=group,
                topic=stream,
                partition=position.partition,
                offset=position.offset,
            )


threads = [
    start(write_values, config(delivery_timeout_ms=120000), stream, partition_count, "rdkafka", is_over),
    start(write_transactions, "rdkafka-tx-a"),
    start(write_transactions, "rdkafka-tx-b"),
    start(consume, "rdkafka-classic", "classic"),
    start(consume, "rdkafka-consumer", "consumer"),
]
sys.stdin.read()
is_over.set()
finish(threads)
