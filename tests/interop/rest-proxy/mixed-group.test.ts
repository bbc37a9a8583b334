import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { systemClock } from '@weir/core';
import { AssignerProtocol, Kafka, logLevel, type PartitionAssigner } from 'kafkajs';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';

/**
 * One group of a consumer instance of the REST proxy, kafkajs and @platformatic/kafka. An instance assigns by `range`,
 * as Confluent's proxy does; the other two have no assignor of that name, so that they are given one, and the leader
 * may be any of the three.
 */
const lifetime = lastFirst({ after });
const local = await startLocal(lifetime);
const broker = local.address('Kafka');
const url = local.address('HTTP');
const topic = 'shared';
const partitionCount = 6;
const group = 'mixed';
const v2 = { 'content-type': 'application/vnd.kafka.v2+json' };

const pause = (ms = 100) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

interface Member {
  /** Partitions that it reads now. */
  assigned(): Promise<readonly number[]>;
  readonly values: string[];
}

/** Splits the partitions among members in the order of their ids. */
function shares(memberIds: readonly string[]): Map<string, number[]> {
  const ordered = memberIds.toSorted();
  const size = Math.ceil(partitionCount / ordered.length);
  const all = Array.from({ length: partitionCount }, (_, partition) => partition);
  return new Map(ordered.map((id, at) => [id, all.slice(at * size, (at + 1) * size)]));
}

async function startRestMember(): Promise<Member> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(path, {
      method,
      ...(body === undefined ? {} : { headers: v2, body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const settings = { format: 'json', 'auto.offset.reset': 'earliest', 'fetch.min.bytes': 0 };
  const { base_uri } = (await call('POST', `${url}/consumers/${group}`, settings)) as { base_uri: string };
  await call('POST', `${base_uri}/subscription`, { topics: [topic] });
  const values: string[] = [];
  let isStopped = false;
  const reading = (async () => {
    while (!isStopped) {
      const records = (await call('GET', `${base_uri}/records?timeout=300`)) as { value: string }[];
      values.push(...records.map(({ value }) => value));
    }
  })();
  lifetime.after(async () => {
    isStopped = true;
    await reading;
    await call('DELETE', base_uri);
  });
  return {
    values,
    async assigned() {
      const { partitions } = (await call('GET', `${base_uri}/assignments`)) as {
        partitions: { partition: number }[];
      };
      return partitions.map(({ partition }) => partition);
    },
  };
}

async function startKafkajsMember(): Promise<Member> {
  const range: PartitionAssigner = () => ({
    name: 'range',
    version: 0,
    protocol: ({ topics }) => ({
      name: 'range',
      metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) }),
    }),
    assign: async ({ members }) =>
      [...shares(members.map(({ memberId }) => memberId))].map(([memberId, partitions]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: 0,
          assignment: { [topic]: partitions },
          userData: Buffer.alloc(0),
        }),
      })),
  });
  const kafka = new Kafka({ clientId: 'kafkajs', brokers: [broker], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: group, heartbeatInterval: 300, partitionAssigners: [range] });
  await consumer.connect();
  lifetime.after(() => consumer.disconnect());
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const values: string[] = [];
  let partitions: readonly number[] = [];
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    partitions = payload.memberAssignment[topic] ?? [];
  });
  consumer.on(consumer.events.REBALANCING, () => {
    partitions = [];
  });
  await consumer.run({
    eachMessage: async ({ message }) => void values.push(JSON.parse(`${message.value}`)),
  });
  return { values, assigned: async () => partitions };
}

async function startPlatformaticMember(): Promise<Member> {
  const consumer = new Consumer({
    clientId: 'platformatic',
    bootstrapBrokers: [broker],
    groupId: group,
    groupProtocol: 'classic',
    heartbeatInterval: 300,
    deserializers: stringDeserializers,
    protocols: [{ name: 'range', version: 0 }],
    partitionAssigner: (_current, members) =>
      [...shares([...members.keys()])].map(([memberId, partitions]) => ({
        memberId,
        assignments: new Map([[topic, { topic, partitions }]]),
      })),
  });
  lifetime.after(() => consumer.close(true));
  const values: string[] = [];
  const stream = await consumer.consume({ topics: [topic], mode: 'committed', fallbackMode: 'earliest' });
  stream.on('data', ({ value }) => values.push(JSON.parse(value)));
  return {
    values,
    assigned: async () => (consumer.assignments ?? []).flatMap(({ partitions }) => partitions),
  };
}

test('a REST consumer, kafkajs and platformatic share the partitions of a topic, and none reads twice', {
  timeout: 120_000,
}, async () => {
  await createTopic(broker, topic, partitionCount);
  const members: Member[] = [];
  for (const start of [startRestMember, startKafkajsMember, startPlatformaticMember])
    members.push(await start());
  const assigned = () => Promise.all(members.map((member) => member.assigned()));
  while (!isShared(await assigned())) await pause();

  const written = Array.from({ length: 600 }, (_, number) => `record-${number}`);
  for (let start = 0; start < written.length; start += 60) {
    const records = written
      .slice(start, start + 60)
      .map((value, number) => ({ value, partition: number % partitionCount }));
    const answer = await fetch(`${url}/topics/${topic}`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kafka.json.v2+json' },
      body: JSON.stringify({ records }),
    });
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  const read = () => members.flatMap(({ values }) => values);
  while (read().length < written.length) await pause();
  // What is read twice comes late.
  await pause(1_000);
  assert.deepEqual(read().toSorted(), written.toSorted());
  for (const { values } of members) assert.equal(values.length, written.length / members.length);
  assert.ok(isShared(await assigned()));
});

function isShared(assigned: readonly (readonly number[])[]): boolean {
  const all = assigned.flat();
  return (
    all.length === partitionCount &&
    new Set(all).size === partitionCount &&
    assigned.every(({ length }) => length === partitionCount / assigned.length)
  );
}
