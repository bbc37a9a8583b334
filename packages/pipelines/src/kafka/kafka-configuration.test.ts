import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from '../config/read-configuration.ts';

const input = (fields: string) =>
  `input:\n  kafka_franz: { seed_brokers: [a:9092], ${fields} }\noutput:\n  drop: {}\n`;
const sarama = (fields: string) =>
  `input:\n  kafka: { addresses: [a:9092], ${fields} }\noutput:\n  drop: {}\n`;
const output = (fields: string) =>
  `input:\n  generate: { mapping: root = "" }\noutput:\n  kafka_franz: { seed_brokers: [a:9092], topic: t, ${fields} }\n`;
const old = (fields: string) =>
  `input:\n  generate: { mapping: root = "" }\noutput:\n  kafka: { addresses: [a:9092], topic: t, ${fields} }\n`;

const cases: readonly [yaml: string, problem: RegExp | undefined][] = [
  [input('topics: [a]'), undefined],
  [
    input('topics: [a], consumer_group: g, sasl: [{ mechanism: PLAIN, username: u, password: p }]'),
    undefined,
  ],
  [input('topics: ["a:0-3"], consumer_group: g'), /topics names partitions, which a consumer_group shares/],
  [input('topics: ["a("], regexp_topics: true'), /topics has a\(: /],
  [input('topics: ["a.*"], regexp_topics: true'), undefined],
  [input('topics: []'), /topics has no topic/],
  [input('topics: [a], checkpoint_limit: 0'), /checkpoint_limit has to be 1 or more/],
  [input('topics: [a], group_balancers: [sticky]'), /cannot have sticky in this release/],
  [input('topics: [a], rate_limit: none'), /none/],
  [
    input('topics: [a], sasl: [{ mechanism: AWS_MSK_IAM, aws: { credentials: { id: a, secret: b } } }]'),
    undefined,
  ],
  [input('topics: [a], sasl: [{ mechanism: AWS_MSK_IAM }]'), /managed pipelines need aws.credentials.id and/],
  [sarama('topics: [a], consumer_group: g, sasl: { mechanism: AWS_MSK_IAM }'), /managed pipelines need/],
  [input('topics: [a], extract_tracing_map: root = this'), /there is no tracing/],
  [input('topics: [a], topic: b'), /there is no field "topic"; did you mean topics/],
  [sarama('topics: [a]'), /consumer_group is missing/],
  [sarama('topics: [a], consumer_group: g'), undefined],
  [sarama('topics: ["a:0"]'), undefined],
  [sarama('topics: ["a:0:5"]'), /takes no offsets/],
  [
    `input:\n  kafka_franz: { seed_brokers: ["a:b"], topics: [t] }\noutput:\n  drop: {}\n`,
    /has a:b; write it as host:9092/,
  ],
  [
    `input:\n  kafka_franz_service: { topics: [t] }\noutput:\n  kafka_franz_service: { topic: t }\n`,
    undefined,
  ],
  [
    `input:\n  kafka_franz_service: { topics: [t], seed_brokers: [a] }\noutput:\n  drop: {}\n`,
    /there is no field "seed_brokers"/,
  ],
  [output(`key: "\${! @id }"`), undefined],
  [output('partitioner: manual'), /partition is missing/],
  [output('partition: "1"'), /partition is used only by the partitioner manual/],
  [output('compression: brotli'), /compression has to be one of/],
  [old('partitioner: manual'), /partition is missing/],
  [old('max_msg_bytes: 0'), /max_msg_bytes has to be 1 or more/],
  [old(`partitioner: manual, partition: "\${! @p }"`), undefined],
];

for (const [yaml, problem] of cases) {
  test(
    yaml
      .split('\n')
      .find((line) => line.includes('kafka'))!
      .trim(),
    () => {
      const { problems } = readConfiguration(yaml, { catalogue, isLocal: false });
      const texts = problems.map(({ message }) => message).join('\n');
      if (problem === undefined) assert.equal(texts, '');
      else assert.match(texts, problem);
    },
  );
}
