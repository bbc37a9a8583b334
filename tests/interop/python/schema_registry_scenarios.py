"""What applications do with the registry client and the serializers of confluent-kafka."""

import base64
import json

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from scenarios import DEADLINE_SECONDS, equal, run, scenario


def record(name, *fields):
    return json.dumps({"type": "record", "name": name, "namespace": "shop", "fields": list(fields)})


ID = {"name": "id", "type": "long"}
NOTE = {"name": "note", "type": "string"}
NOTE_WITH_DEFAULT = {"name": "note", "type": "string", "default": ""}


def registry_of(addresses):
    return SchemaRegistryClient({"url": addresses.split()[1]})


def refused(status, code, call):
    try:
        call()
    except SchemaRegistryError as error:
        equal((error.http_status_code, error.error_code), (status, code))
        return error
    raise AssertionError("was not refused")


@scenario("register, look up, evolve")
def evolve(addresses):
    registry = registry_of(addresses)
    first = Schema(record("Order", ID), "AVRO")
    schema_id = registry.register_schema("py-orders", first)
    equal(registry.register_schema("py-orders", first), schema_id)
    equal(registry.lookup_schema("py-orders", first).version, 1)
    second = Schema(record("Order", ID, NOTE_WITH_DEFAULT), "AVRO")
    equal(registry.test_compatibility("py-orders", second), True)
    registry.register_schema("py-orders", second)
    equal(registry.get_versions("py-orders"), [1, 2])
    latest = registry.get_latest_version("py-orders")
    equal((latest.version, json.loads(latest.schema.schema_str)["fields"][1]["name"]), (2, "note"))
    equal("py-orders" in registry.get_subjects(), True)
    by_guid = registry.get_schema_by_guid(latest.guid)
    equal(json.loads(by_guid.schema_str), json.loads(latest.schema.schema_str))


@scenario("incompatible schemas are refused")
def incompatible(addresses):
    registry = registry_of(addresses)
    registry.register_schema("py-strict", Schema(record("Strict", ID), "AVRO"))
    worse = Schema(record("Strict", ID, NOTE), "AVRO")
    equal(registry.test_compatibility("py-strict", worse), False)
    error = refused(409, 40901, lambda: registry.register_schema("py-strict", worse))
    equal("READER_FIELD_MISSING_DEFAULT_VALUE" in str(error), True)
    registry.set_compatibility("py-strict", "NONE")
    equal(registry.get_compatibility("py-strict"), "NONE")
    registry.register_schema("py-strict", worse)
    refused(422, 42201, lambda: registry.register_schema("py-bad", Schema('{"type": "nothing"}', "AVRO")))


@scenario("soft and permanent deletion")
def deletion(addresses):
    registry = registry_of(addresses)
    registry.register_schema("py-gone", Schema(record("Gone", ID), "AVRO"))
    registry.register_schema("py-gone", Schema(record("Gone", ID, NOTE_WITH_DEFAULT), "AVRO"))
    equal(registry.delete_version("py-gone", 2), 2)
    equal(registry.get_versions("py-gone"), [1])
    equal(registry.delete_subject("py-gone"), [1])
    refused(404, 40401, lambda: registry.get_versions("py-gone"))
    equal(sorted(registry.delete_subject("py-gone", permanent=True)), [1, 2])


@scenario("references")
def references(addresses):
    registry = registry_of(addresses)
    registry.register_schema("py-address", Schema(record("Address", NOTE), "AVRO"))
    person = Schema(
        record("Person", {"name": "home", "type": "shop.Address"}),
        "AVRO",
        [SchemaReference("shop.Address", "py-address", 1)],
    )
    schema_id = registry.register_schema("py-person", person)
    equal(registry.get_referenced_by("py-address", 1), [schema_id])
    refused(422, 42206, lambda: registry.delete_subject("py-address"))


@scenario("modes")
def modes(addresses):
    registry = registry_of(addresses)
    registry.update_mode("py-imported", "READONLY")
    equal(registry.get_mode("py-imported"), "READONLY")
    refused(422, 42205, lambda: registry.register_schema("py-imported", Schema(record("I", ID), "AVRO")))
    registry.delete_mode("py-imported")
    registry.register_schema("py-imported", Schema(record("I", ID), "AVRO"))


def round_trip(addresses, topic, serializer, deserializer, value):
    broker = addresses.split()[0]
    admin = AdminClient({"bootstrap.servers": broker})
    for future in admin.create_topics([NewTopic(topic, 1)]).values():
        future.result(timeout=DEADLINE_SECONDS)
    context = SerializationContext(topic, MessageField.VALUE)
    producer = Producer({"bootstrap.servers": broker})
    producer.produce(topic, serializer(value, context))
    equal(producer.flush(DEADLINE_SECONDS), 0)
    consumer = Consumer({"bootstrap.servers": broker, "group.id": topic, "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe([topic])
        message = consumer.poll(DEADLINE_SECONDS)
        equal((message is not None and message.error(), message.value()[0]), (None, 0))
        return deserializer(message.value(), context)
    finally:
        consumer.close()


@scenario("write and read Avro")
def avro(addresses):
    registry = registry_of(addresses)
    value = {"id": 7, "note": "seven"}
    serializer = AvroSerializer(registry, record("Sent", ID, NOTE))
    equal(round_trip(addresses, "py-avro", serializer, AvroDeserializer(registry), value), value)


@scenario("write and read JSON Schema")
def json_schema(addresses):
    registry = registry_of(addresses)
    schema = json.dumps(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Sent",
            "type": "object",
            "properties": {"id": {"type": "integer"}},
            "required": ["id"],
        }
    )
    value = {"id": 7}
    deserializer = JSONDeserializer(schema, schema_registry_client=registry)
    equal(round_trip(addresses, "py-json", JSONSerializer(schema, registry), deserializer, value), value)


@scenario("write and read Protobuf")
def protobuf(addresses):
    registry = registry_of(addresses)
    file = descriptor_pb2.FileDescriptorProto(name="sent.proto", package="shop", syntax="proto3")
    message = file.message_type.add(name="Sent")
    message.field.add(name="id", number=1, type="TYPE_INT64", label="LABEL_OPTIONAL")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    sent = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Sent"))
    settings = {"use.deprecated.format": False}
    serializer = ProtobufSerializer(sent, registry, settings)
    deserializer = ProtobufDeserializer(sent, settings, registry)
    equal(round_trip(addresses, "py-proto", serializer, deserializer, sent(id=7)).id, 7)
    # The answer to a registration takes the place of what was sent in the cache of the client.
    parsed = registry.register_schema_full_response("py-proto-full", serializer._schema).schema.schema_str
    descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(parsed, validate=True))
    equal('package shop' in registry.get_latest_version("py-proto-value").schema.schema_str, True)


run()
