import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from './read-configuration.ts';

const nats = 'urls: ["nats://a:4222"]';
const mqtt = 'urls: ["tcp://a:1883"]';
const amqp = 'urls: ["amqp://a/"]';

// biome-ignore format: a table
const cases: readonly [kind: 'input' | 'output', config: string, problem?: RegExp][] = [
  ['input',  `nats: {${nats}, subject: a}`],
  ['input',  `nats: {urls: ["http://a"], subject: a}`,                                /urls has to have URLs such as nats:\/\/host:4222/],
  ['input',  `nats: {${nats}, subject: "a b"}`,                                       /subject may have no spaces/],
  ['input',  `nats: {${nats}, subject: a, prefetch_count: -1}`,                       /prefetch_count has to be 0 or more/],
  ['input',  `nats: {${nats}, subject: a, extract_tracing_map: root = this}`,         /there is no tracing/],
  ['input',  `nats: {${nats}, subject: a, auth: {nkey_file: x}}`,                     /nkey_file is not available in managed pipelines/],
  ['output', `nats: {${nats}, subject: a, auth: {user_jwt: x}}`,                      /auth needs user_jwt and user_nkey_seed together/],
  ['output', `nats: {${nats}, subjekt: a}`,                                           /did you mean subject/],
  ['input',  `nats_jetstream: {${nats}}`,                                             /subject is missing/],
  ['input',  `nats_jetstream: {${nats}, subject: a, durable: a.b}`,                   /durable may have no spaces, dots/],
  ['input',  `nats_jetstream: {${nats}, bind: true, stream: s}`,                      /bind needs stream and durable, or a subject/],
  ['input',  `nats_jetstream: {${nats}, bind: true, stream: s, durable: d}`],
  ['input',  `nats_jetstream: {${nats}, subject: a, deliver: first}`,                 /deliver has to be one of all, last/],
  ['output', `nats_jetstream: {${nats}, subject: a, headers: {A: '\${! json("a") }'}}`],
  ['input',  `mqtt: {${mqtt}, topics: [a]}`],
  ['input',  `mqtt: {urls: ["ws://a"], topics: [a]}`,                                 /urls has to have URLs such as tcp:\/\/host:1883/],
  ['input',  `mqtt: {${mqtt}, topics: []}`,                                           /topics has to have topics/],
  ['input',  `mqtt: {${mqtt}, topics: [a], qos: 3}`,                                  /qos has to be 0, 1 or 2/],
  ['input',  `mqtt: {${mqtt}, topics: [a], clean_session: false}`,                    /clean_session false needs a client_id/],
  ['output', `mqtt: {${mqtt}, topic: a, will: {enabled: true}}`,                      /will needs a topic/],
  ['output', `mqtt: {${mqtt}, topic: a, keepalive: 70000}`,                           /keepalive has to be from 0 to 65535/],
  ['output', `mqtt: {${mqtt}, topic: a, retained_interpolated: 'true'}`],
  ['input',  `amqp_0_9: {${amqp}, queue: q}`],
  ['input',  `amqp_0_9: {${amqp}}`,                                                   /queue is missing/],
  ['input',  `amqp_0_9: {${amqp}, queue: q, prefetch_size: 1}`,                       /prefetch_size has to be 0/],
  ['input',  `amqp_0_9: {${amqp}, queue: q, nack_reject_patterns: ["("]}`,            /the pattern is wrong/],
  ['output', `amqp_0_9: {${amqp}, exchange: e, immediate: true}`,                     /immediate has to be false/],
  ['output', `amqp_0_9: {${amqp}, exchange: e, exchange_declare: {type: other}}`,     /type has to be one of direct, fanout/],
  ['output', `amqp_0_9: {urls: ["amqp://u:p@a/v,amqps://b"], exchange: e}`],
];

for (const [kind, config, problem] of cases)
  test(`${kind} ${config}`, () => {
    const other = kind === 'input' ? 'output: {drop: {}}' : 'input: {inproc: a}';
    const { problems } = readConfiguration(`${kind}: {${config}}\n${other}\n`, { catalogue, isLocal: false });
    const texts = problems.map(({ message }) => message).join('\n');
    if (problem === undefined) assert.equal(texts, '');
    else assert.match(texts, problem);
  });
