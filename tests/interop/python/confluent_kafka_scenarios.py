"""What applications do with confluent-kafka, which is librdkafka with a binding for Python."""

import time

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaError,
    KafkaException,
    Producer,
    ShareConsumer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from scenarios import DEADLINE_SECONDS, equal, run, scenario

VALUES = [f"value-{number}".encode() for number in range(100)]


def admin_of(broker):
    return AdminClient({"bootstrap.servers": broker})


def results(futures):
    """The results of a call that answers with a future per thing."""
    return {name: future.result(timeout=DEADLINE_SECONDS) for name, future in futures.items()}


def created(broker, topic, partitions=1):
    admin = admin_of(broker)
    results(admin.create_topics([NewTopic(topic, partitions)]))
    return admin


def write(broker, topic, values=VALUES, **settings):
    failures = []
    producer = Producer({"bootstrap.servers": broker, **settings})
    for value in values:
        producer.produce(topic, value, on_delivery=lambda error, _: failures.append(error) if error else None)
    equal(producer.flush(DEADLINE_SECONDS), 0)
    equal(failures, [])


def consumer_of(broker, group, **settings):
    return Consumer(
        {"bootstrap.servers": broker, "group.id": group, "auto.offset.reset": "earliest", **settings}
    )


def read(consumer, count):
    """The next values, however many polls that takes."""
    values = []
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(values) < count:
        message = consumer.poll(0.5)
        if message is not None and message.error():
            raise KafkaException(message.error())
        if message is not None:
            values.append(message.value())
        elif time.monotonic() > deadline:
            raise AssertionError(f"only {len(values)} of {count} records came")
    return values


def group_read(broker, group, topics, count=len(VALUES), **settings):
    """Reads in a group, commits, and leaves."""
    consumer = consumer_of(broker, group, **settings)
    consumer.subscribe(topics)
    try:
        values = read(consumer, count)
        consumer.commit(asynchronous=False)
        return values
    finally:
        consumer.close()


@scenario("list all topics")
def list_topics(broker):
    admin = created(broker, "listed", 3)
    topics = admin.list_topics(timeout=DEADLINE_SECONDS).topics
    equal(sorted(topics["listed"].partitions), [0, 1, 2])
    equal(topics["listed"].error, None)


@scenario("describe the cluster")
def describe_cluster(broker):
    admin = admin_of(broker)
    cluster = admin.describe_cluster(include_authorized_operations=True).result(DEADLINE_SECONDS)
    equal([f"{node.host}:{node.port}" for node in cluster.nodes], [broker])
    equal(cluster.controller.id, cluster.nodes[0].id)
    equal(admin.list_topics(timeout=DEADLINE_SECONDS).cluster_id, cluster.cluster_id)


for codec in ["none", "gzip", "snappy", "lz4", "zstd"]:

    def codec_scenario(broker, codec=codec):
        topic = f"codec-{codec}"
        created(broker, topic)
        write(broker, topic, **{"compression.type": codec})
        consumer = consumer_of(broker, topic)
        consumer.assign([TopicPartition(topic, 0, 0)])
        equal(read(consumer, len(VALUES)), VALUES)
        consumer.close()

    scenario(f"write and read {codec}")(codec_scenario)


@scenario("idempotent producer")
def idempotent(broker):
    created(broker, "idempotent")
    write(broker, "idempotent", **{"enable.idempotence": True, "batch.num.messages": 10})
    equal(group_read(broker, "idempotent", ["idempotent"]), VALUES)


@scenario("transactions: commit, abort, offsets")
def transactional(broker):
    created(broker, "transactional")
    created(broker, "transactional-input")
    write(broker, "transactional-input")
    source = consumer_of(broker, "transactional-source", **{"enable.auto.commit": False})
    source.subscribe(["transactional-input"])
    read(source, len(VALUES))
    producer = Producer({"bootstrap.servers": broker, "transactional.id": "transactional"})
    producer.init_transactions(DEADLINE_SECONDS)
    for value, ends in [(b"aborted", "abort"), (b"committed", "commit")]:
        producer.begin_transaction()
        producer.produce("transactional", value)
        producer.send_offsets_to_transaction(
            source.position(source.assignment()), source.consumer_group_metadata(), DEADLINE_SECONDS
        )
        if ends == "abort":
            producer.flush(DEADLINE_SECONDS)
            producer.abort_transaction(DEADLINE_SECONDS)
        else:
            producer.commit_transaction(DEADLINE_SECONDS)
    committed = source.committed([TopicPartition("transactional-input", 0)], DEADLINE_SECONDS)
    equal([partition.offset for partition in committed], [len(VALUES)])
    source.close()
    consumer = consumer_of(broker, "transactional", **{"isolation.level": "read_committed"})
    consumer.assign([TopicPartition("transactional", 0, 0)])
    equal(read(consumer, 1), [b"committed"])
    consumer.close()


for protocol in ["classic", "consumer"]:

    def subscribed(broker, protocol=protocol):
        topic = f"subscribed-{protocol}"
        created(broker, topic, 3)
        write(broker, topic)
        equal(sorted(group_read(broker, topic, [topic], **{"group.protocol": protocol})), sorted(VALUES))

    def by_pattern(broker, protocol=protocol):
        for topic in [f"pattern-{protocol}-a", f"pattern-{protocol}-b", f"other-{protocol}"]:
            created(broker, topic)
            write(broker, topic, [topic.encode()])
        values = group_read(broker, f"pattern-{protocol}", [f"^pattern-{protocol}-.*"], 2, **{"group.protocol": protocol})
        equal(sorted(values), [f"pattern-{protocol}-{end}".encode() for end in "ab"])

    scenario(f"group, {protocol} protocol")(subscribed)
    scenario(f"subscription by pattern, {protocol} protocol")(by_pattern)


@scenario("share consumer")
def share_consumer(broker):
    admin = created(broker, "shared")
    group = ConfigResource(ConfigResource.Type.GROUP, "sharers")
    group.add_incremental_config(
        ConfigEntry("share.auto.offset.reset", "earliest", incremental_operation=AlterConfigOpType.SET)
    )
    results(admin.incremental_alter_configs([group]))
    write(broker, "shared")
    consumer = ShareConsumer({"bootstrap.servers": broker, "group.id": "sharers"})
    consumer.subscribe(["shared"])
    values = []
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(values) < len(VALUES) and time.monotonic() < deadline:
        for message in consumer.poll(1.0) or []:
            equal(message.error(), None)
            values.append(message.value())
    consumer.close()
    equal(sorted(values), sorted(VALUES))


@scenario("create and delete topics")
def topics(broker):
    admin = created(broker, "short-lived", 2)
    described = results(admin.describe_topics(TopicCollection(["short-lived"])))["short-lived"]
    equal(len(described.partitions), 2)
    try:
        results(admin.create_topics([NewTopic("short-lived", 1)]))
        raise AssertionError("a topic was created twice")
    except KafkaException as error:
        equal(error.args[0].code(), KafkaError.TOPIC_ALREADY_EXISTS)
    results(admin.delete_topics(["short-lived"]))
    equal("short-lived" in admin.list_topics(timeout=DEADLINE_SECONDS).topics, False)


@scenario("create partitions")
def partitions(broker):
    admin = created(broker, "growing")
    results(admin.create_partitions([NewPartitions("growing", 4)]))
    equal(len(admin.list_topics("growing", timeout=DEADLINE_SECONDS).topics["growing"].partitions), 4)


@scenario("describe and alter configs")
def configs(broker):
    admin = created(broker, "configured")
    resource = ConfigResource(ConfigResource.Type.TOPIC, "configured")
    resource.add_incremental_config(
        ConfigEntry("retention.ms", "123456789", incremental_operation=AlterConfigOpType.SET)
    )
    results(admin.incremental_alter_configs([resource]))
    plain = ConfigResource(ConfigResource.Type.TOPIC, "configured")
    equal(results(admin.describe_configs([plain]))[plain]["retention.ms"].value, "123456789")
    resource = ConfigResource(ConfigResource.Type.TOPIC, "configured")
    resource.add_incremental_config(
        ConfigEntry("retention.ms", None, incremental_operation=AlterConfigOpType.DELETE)
    )
    results(admin.incremental_alter_configs([resource]))
    entry = results(admin.describe_configs([plain]))[plain]["retention.ms"]
    equal((entry.value != "123456789", entry.is_default), (True, True))


@scenario("list offsets")
def offsets(broker):
    admin = created(broker, "measured")
    write(broker, "measured")
    partition = TopicPartition("measured", 0)
    found = [
        results(admin.list_offsets({partition: spec}))[partition].offset
        for spec in [OffsetSpec.earliest(), OffsetSpec.latest(), OffsetSpec.for_timestamp(0)]
    ]
    equal(found, [0, len(VALUES), 0])


@scenario("delete records")
def delete_records(broker):
    admin = created(broker, "trimmed")
    write(broker, "trimmed")
    partition = TopicPartition("trimmed", 0, 40)
    equal(results(admin.delete_records([partition]))[partition].low_watermark, 40)
    consumer = consumer_of(broker, "trimmed")
    equal(consumer.get_watermark_offsets(TopicPartition("trimmed", 0), DEADLINE_SECONDS), (40, len(VALUES)))
    consumer.close()


@scenario("list, describe and delete groups; list and alter their offsets")
def groups(broker):
    admin = created(broker, "grouped")
    write(broker, "grouped")
    consumer = consumer_of(broker, "described")
    consumer.subscribe(["grouped"])
    read(consumer, len(VALUES))
    consumer.commit(asynchronous=False)
    group = results(admin.describe_consumer_groups(["described"]))["described"]
    equal(group.state.name, "STABLE")
    equal([part.topic for member in group.members for part in member.assignment.topic_partitions], ["grouped"])
    listed = admin.list_consumer_groups().result(DEADLINE_SECONDS)
    equal([(found.state.name, found.type) for found in listed.valid if found.group_id == "described"], [("STABLE", ConsumerGroupType.CLASSIC)])
    consumer.close()

    def offset():
        asked = ConsumerGroupTopicPartitions("described")
        found = results(admin.list_consumer_group_offsets([asked]))["described"]
        return [(part.topic, part.partition, part.offset) for part in found.topic_partitions]

    equal(offset(), [("grouped", 0, len(VALUES))])
    changed = ConsumerGroupTopicPartitions("described", [TopicPartition("grouped", 0, 7)])
    results(admin.alter_consumer_group_offsets([changed]))
    equal(offset(), [("grouped", 0, 7)])
    results(admin.delete_consumer_groups(["described"]))
    listed = admin.list_consumer_groups().result(DEADLINE_SECONDS)
    equal([found.group_id for found in listed.valid if found.group_id == "described"], [])


@scenario("create, describe and delete ACLs")
def acls(broker):
    admin = admin_of(broker)
    rule = (ResourceType.TOPIC, "guarded", ResourcePatternType.LITERAL, "User:reader", "*")
    binding = AclBinding(*rule, AclOperation.READ, AclPermissionType.ALLOW)
    wanted = AclBindingFilter(*rule, AclOperation.ANY, AclPermissionType.ANY)
    results(admin.create_acls([binding]))
    equal(admin.describe_acls(wanted).result(DEADLINE_SECONDS), [binding])
    equal(results(admin.delete_acls([wanted]))[wanted], [binding])
    equal(admin.describe_acls(wanted).result(DEADLINE_SECONDS), [])


@scenario("describe and alter SCRAM credentials")
def scram(broker):
    admin = admin_of(broker)
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192)
    results(admin.alter_user_scram_credentials([UserScramCredentialUpsertion("scrambled", info, b"a long password")]))
    described = results(admin.describe_user_scram_credentials(["scrambled"]))["scrambled"]
    equal(
        [(found.mechanism, found.iterations) for found in described.scram_credential_infos],
        [(ScramMechanism.SCRAM_SHA_512, 8192)],
    )
    results(
        admin.alter_user_scram_credentials([UserScramCredentialDeletion("scrambled", ScramMechanism.SCRAM_SHA_512)])
    )
    try:
        results(admin.describe_user_scram_credentials(["scrambled"]))
        raise AssertionError("credentials that were deleted are described")
    except KafkaException as error:
        equal(error.args[0].code(), KafkaError.RESOURCE_NOT_FOUND)


run()
