/** The flags of `kcmd` and of the `cli` tools. They are written with dashes, as Kafka's own tools are. */

import { MiB } from '@weir/core';
import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { bytes, durationMs, int, port } from '../../values/numbers.ts';
import { offsetPosition } from '../../values/offset-position.ts';
import { hostname, oneOf, path, text } from '../../values/text.ts';
import { topicConfigs } from '../../values/topic-configs.ts';
import { available, planned } from '../row.ts';
import { kafkaClients } from './takers.ts';

export const connectionFlags = [
  available({
    name: 'bootstrap-host',
    type: hostname(),
    default: 'localhost',
    commands: kafkaClients,
    help: 'The host of the first broker to contact.',
  }),
  available({
    name: 'bootstrap-port',
    type: port(),
    default: 9092,
    commands: kafkaClients,
    help: 'The port of the first broker to contact.',
  }),
  available({
    name: 'client-id',
    type: text('client id'),
    default: 'weir-cli',
    commands: kafkaClients,
    help: 'What the client calls itself; it may carry wishes such as ws_az=us-east-1a.',
  }),
  available({
    name: 'request-timeout',
    type: durationMs({ min: 100, max: 3_600_000 }),
    default: 30_000,
    commands: kafkaClients,
    help: 'How long to wait for an answer, and for how long to try again.',
  }),
  available({
    name: 'tls',
    type: bool(),
    default: false,
    commands: kafkaClients,
    help: 'Connect over TLS.',
  }),
  planned({
    name: 'username',
    type: text('name'),
    commands: kafkaClients,
    help: 'The SASL user name.',
  }),
  planned({
    name: 'password',
    type: text('password'),
    secret: true,
    commands: kafkaClients,
    help: 'The SASL password.',
  }),
  available({
    name: 'tlsServerCACertFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the certificate authority of the brokers.',
  }),
  available({
    name: 'tlsClientCertFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the certificate of the client.',
  }),
  available({
    name: 'tlsClientPrivateKeyFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the private key of the client.',
  }),
];

export const toolFlags = [
  available({
    name: 'type',
    type: oneOf('diagnose-connection', 'create-topic', 'produce', 'fetch'),
    commands: ['kcmd'],
    help: 'The request to send.',
  }),
  available({
    name: 'topic',
    type: text('topic'),
    commands: [
      'kcmd',
      'cli create-topic',
      'cli describe-topic',
      'cli delete-topic',
      'cli produce',
      'cli fetch',
      'cli describe-topic-configs',
      'cli alter-topic-configs',
      'cli delete-topic-config',
      'cli describe-log-dirs',
      'cli consumer-group-lag',
      'cli console-producer',
      'cli console-consumer',
      'cli benchmark-producer',
      'cli benchmark-consumer',
      'cli diagnose-record',
    ],
    help: 'The topic to work on.',
  }),
  available({
    name: 'partitions',
    type: int({ min: 1, max: 1_000_000 }),
    commands: ['cli create-topic'],
    help: 'How many partitions the topic gets.',
    rule: 'Not set, the cluster decides.',
  }),
  available({
    name: 'replication-factor',
    type: int({ min: 1, max: 32_767 }),
    commands: ['cli create-topic'],
    help: 'How many copies the topic keeps, for clusters whose brokers hold the data.',
    rule: 'Not set, the cluster decides.',
  }),
  available({
    name: 'config',
    type: topicConfigs(),
    default: [],
    commands: ['cli create-topic', 'cli alter-topic-configs', 'cli alter-broker-configs'],
    help: 'The configs to set; those that are not named keep their value or their default.',
  }),
  available({
    name: 'group',
    type: text('group'),
    commands: [
      'cli describe-groups',
      'cli consumer-group-lag',
      'cli console-consumer',
      'cli benchmark-consumer',
    ],
    help: 'The consumer group to work on or to join.',
  }),
  available({
    name: 'partition',
    type: int({ min: 0, max: 2_147_483_647 }),
    commands: [
      'kcmd',
      'cli produce',
      'cli fetch',
      'cli console-producer',
      'cli console-consumer',
      'cli diagnose-record',
    ],
    help: 'The partition to work on.',
    rule: 'Not set, records are spread by their keys, and all partitions are read.',
  }),
  available({
    name: 'offset',
    type: offsetPosition(),
    default: 'earliest',
    defaultByCommand: { 'cli console-consumer': 'latest' },
    commands: ['kcmd', 'cli fetch', 'cli console-consumer', 'cli benchmark-consumer', 'cli diagnose-record'],
    help: 'The offset to start at, or of the record to look at.',
    rule:
      'A number needs -partition when the topic has more than one; a benchmark reads all partitions and takes none. ' +
      'A group goes on from what it has committed.',
  }),
  available({
    name: 'max-records',
    type: int({ min: 1 }),
    default: 100,
    commands: ['kcmd', 'cli fetch'],
    help: 'How many records to read at most.',
  }),
  available({
    name: 'wait',
    type: durationMs({ max: 86_400_000 }),
    default: 0,
    commands: ['cli fetch'],
    help: 'How long to wait for records that are yet to be written.',
  }),
  available({
    name: 'records',
    type: list(text(), { separator: ',,', trim: false }),
    commands: ['kcmd', 'cli produce'],
    help: 'The values to produce, with two commas between them.',
    rule: 'Not set, cli produce takes the lines of standard input.',
  }),
  available({
    name: 'key',
    type: text(),
    defaultByCommand: { kcmd: 'hello' },
    commands: ['kcmd', 'cli produce'],
    help: 'The key of every record that is produced.',
    rule: 'Records without a key go to the partitions in turn.',
  }),
  available({
    name: 'acks',
    type: oneOf('all', '1', '0'),
    default: 'all',
    commands: ['cli produce', 'cli benchmark-producer'],
    help: 'Who must have a record before it counts as written.',
    rule: '0 waits for nobody, so that no offset is known.',
  }),
  available({
    name: 'compression-codec',
    type: oneOf('none', 'gzip', 'snappy', 'lz4', 'zstd'),
    default: 'none',
    commands: ['cli produce', 'cli benchmark-producer'],
    help: 'How the records are compressed on their way and in storage.',
  }),
  available({
    name: 'config-name',
    type: text('name'),
    commands: ['cli delete-broker-config', 'cli delete-topic-config'],
    help: 'The config to set back to its default.',
  }),
  available({
    name: 'confirm-delete-all-topics',
    type: bool(),
    default: false,
    commands: ['cli delete-all-topics-unsafe'],
    help: 'Says once more that every topic is to be deleted with all its records.',
  }),
  planned({
    name: 'config-file',
    type: path(),
    commands: ['cli validate-pipeline-config'],
    help: 'The file to check.',
  }),
  available({
    name: 'batch-size',
    type: int({ min: 1, max: 10_000 }),
    default: 100,
    commands: ['cli delete-all-topics-unsafe'],
    help: 'How many topics are deleted by one request.',
  }),
  available({
    name: 'sleep-between-batch',
    type: durationMs({ max: 86_400_000 }),
    default: 1_000,
    commands: ['cli delete-all-topics-unsafe'],
    help: 'How long to wait between two requests.',
  }),
  available({
    name: 'output',
    type: oneOf('table', 'json'),
    default: 'table',
    commands: kafkaClients,
    help: 'How results are printed: for people, or as JSON for programs.',
  }),
];

export const benchmarkFlags = [
  available({
    name: 'num-clients',
    type: int({ min: 1, max: 1000 }),
    default: 3,
    commands: ['cli benchmark-producer', 'cli benchmark-consumer'],
    help: 'How many clients run side by side.',
  }),
  available({
    name: 'metrics-port',
    type: port(),
    default: 8081,
    commands: ['cli benchmark-producer', 'cli benchmark-consumer'],
    help: 'The port on which the benchmark serves its metrics.',
    rule: '0 takes any free one.',
  }),
  available({
    name: 'record-size',
    type: bytes({ max: 128 * MiB }),
    default: 10_000,
    commands: ['cli benchmark-producer'],
    help: 'The size of each record.',
  }),
  available({
    name: 'max-records-per-second',
    type: int({ min: 1, max: 100_000_000 }),
    default: 20_000,
    commands: ['cli benchmark-producer'],
    help: 'The rate of all clients together.',
  }),
  available({
    name: 'producer-max-bytes',
    type: bytes({ max: 256 * MiB }),
    default: 16_000_000,
    commands: ['cli benchmark-producer'],
    help: 'The largest batch that a client sends.',
    rule: 'A batch holds one record at least, and goes to one partition.',
  }),
  available({
    name: 'num-records',
    type: int({ min: -1 }),
    default: -1,
    commands: ['cli benchmark-producer', 'cli benchmark-consumer'],
    help: 'How many records to produce or to fetch.',
    rule: '-1 goes on until the command is stopped.',
  }),
  available({
    name: 'fetch-max-bytes',
    type: bytes({ max: 256 * MiB }),
    default: 50_000_000,
    commands: ['cli benchmark-consumer'],
    help: 'The most bytes that a client asks for in one fetch.',
  }),
  available({
    name: 'fetch-max-partition-bytes',
    type: bytes({ max: 256 * MiB }),
    default: 25_000_000,
    commands: ['cli benchmark-consumer'],
    help: 'The most bytes that a client asks for from one partition in one fetch.',
  }),
];
