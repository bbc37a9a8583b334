import { testPythonClient } from './test-python-client.ts';

/** librdkafka's newest release, through its Python binding. */
testPythonClient('confluent-kafka', 'confluent_kafka_scenarios.py', [
  'list all topics',
  'describe the cluster',
  'write and read none',
  'write and read gzip',
  'write and read snappy',
  'write and read lz4',
  'write and read zstd',
  'idempotent producer',
  'transactions: commit, abort, offsets',
  'group, classic protocol',
  'group, consumer protocol',
  'subscription by pattern, classic protocol',
  'subscription by pattern, consumer protocol',
  'share consumer',
  'create and delete topics',
  'create partitions',
  'describe and alter configs',
  'list offsets',
  'delete records',
  'list, describe and delete groups; list and alter their offsets',
  'create, describe and delete ACLs',
  'describe and alter SCRAM credentials',
]);
