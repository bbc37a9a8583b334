/** The flags of `kcmd` and of the `cli` tools. They are written with dashes, as Kafka's own tools are. */

import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { bytes, durationMs, int, port } from '../../values/numbers.ts';
import { hostname, oneOf, path, text } from '../../values/text.ts';
import { planned } from '../row.ts';
import { kafkaClients } from './takers.ts';

export const connectionFlags = [
  planned({
    name: 'bootstrap-host',
    type: hostname(),
    default: 'localhost',
    commands: kafkaClients,
    help: 'The host of the first broker to contact.',
  }),
  planned({
    name: 'bootstrap-port',
    type: port(),
    default: 9092,
    commands: kafkaClients,
    help: 'The port of the first broker to contact.',
  }),
  planned({
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
  planned({
    name: 'tlsServerCACertFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the certificate authority of the brokers.',
  }),
  planned({
    name: 'tlsClientCertFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the certificate of the client.',
  }),
  planned({
    name: 'tlsClientPrivateKeyFile',
    type: path(),
    commands: kafkaClients,
    help: 'The file with the private key of the client.',
  }),
];

export const toolFlags = [
  planned({
    name: 'type',
    type: oneOf('diagnose-connection', 'create-topic', 'produce', 'fetch'),
    commands: ['kcmd'],
    help: 'The request to send.',
  }),
  planned({
    name: 'topic',
    type: text('topic'),
    commands: [
      'kcmd',
      'cli describe-topic-configs',
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
  planned({
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
  planned({
    name: 'partition',
    type: int({ min: 0 }),
    commands: ['cli console-producer', 'cli console-consumer', 'cli diagnose-record'],
    help: 'The partition to work on.',
  }),
  planned({
    name: 'offset',
    type: int({ min: 0 }),
    commands: ['kcmd', 'cli console-consumer', 'cli diagnose-record'],
    help: 'The offset to start at, or of the record to look at.',
  }),
  planned({
    name: 'records',
    type: list(text(), { separator: ',,', trim: false }),
    commands: ['kcmd'],
    help: 'The values to produce, with two commas between them.',
  }),
  planned({
    name: 'config-name',
    type: text('name'),
    commands: ['cli delete-broker-config'],
    help: 'The config to set back to its default.',
  }),
  planned({
    name: 'config-file',
    type: path(),
    commands: ['cli validate-pipeline-config'],
    help: 'The file to check.',
  }),
  planned({
    name: 'batch-size',
    type: int({ min: 1 }),
    default: 100,
    commands: ['cli delete-all-topics-unsafe'],
    help: 'How many topics are deleted by one request.',
  }),
  planned({
    name: 'sleep-between-batch',
    type: durationMs(),
    default: 1_000,
    commands: ['cli delete-all-topics-unsafe'],
    help: 'How long to wait between two requests.',
  }),
  planned({
    name: 'output',
    type: oneOf('table', 'json'),
    default: 'table',
    commands: kafkaClients,
    help: 'How results are printed.',
  }),
];

export const benchmarkFlags = [
  planned({
    name: 'num-clients',
    type: int({ min: 1 }),
    default: 3,
    commands: ['cli benchmark-producer', 'cli benchmark-consumer'],
    help: 'How many clients run side by side.',
  }),
  planned({
    name: 'metrics-port',
    type: port(),
    default: 8081,
    commands: ['cli benchmark-producer', 'cli benchmark-consumer'],
    help: 'The port on which the benchmark serves its metrics.',
  }),
  planned({
    name: 'record-size',
    type: bytes(),
    default: 10_000,
    commands: ['cli benchmark-producer'],
    help: 'The size of each record.',
  }),
  planned({
    name: 'max-records-per-second',
    type: int({ min: 1 }),
    default: 20_000,
    commands: ['cli benchmark-producer'],
    help: 'The rate of all clients together.',
  }),
  planned({
    name: 'producer-max-bytes',
    type: bytes(),
    default: 16_000_000,
    commands: ['cli benchmark-producer'],
    help: 'The largest batch that a client sends.',
  }),
  planned({
    name: 'num-records',
    type: int({ min: -1 }),
    default: -1,
    commands: ['cli benchmark-producer'],
    help: 'How many records to produce.',
    rule: '-1 goes on until the command is stopped.',
  }),
  planned({
    name: 'fetch-max-bytes',
    type: bytes(),
    default: 50_000_000,
    commands: ['cli benchmark-consumer'],
    help: 'The most bytes that a client asks for in one fetch.',
  }),
  planned({
    name: 'fetch-max-partition-bytes',
    type: bytes(),
    default: 25_000_000,
    commands: ['cli benchmark-consumer'],
    help: 'The most bytes that a client asks for from one partition in one fetch.',
  }),
];
