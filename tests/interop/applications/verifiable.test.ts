import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { type Program, startProgram } from './program.ts';
import { startThreeAgents } from './three-agents.ts';

/** The programs that Apache uses to test its own brokers, each in a separate process that may be killed. */
const skip = missingTool();
const bounded = { skip, timeout: 180_000 };
const lifetime = lastFirst({ after });
const agents = skip ? undefined! : await startThreeAgents(lifetime);
const java = skip ? undefined! : openApplications(lifetime);

const createTopic = (topic: string, partitions: number) =>
  java.ask('create-topic', { servers: agents[0], topic, partitions });

type Read = readonly (readonly [partition: number, offset: number, key: string, value: string])[];
const read = (topic: string, isolation: 'read_committed' | 'read_uncommitted') =>
  java.ask<Read>('read', { servers: agents[2], topic, isolation });

/** Returns the values of each partition, in order. */
const inPartitions = (records: Read, partitionCount: number) =>
  Array.from({ length: partitionCount }, (_, wanted) =>
    records.filter(([partition]) => partition === wanted).map(([, , , value]) => value),
  );

interface ProducerEvent {
  readonly name: 'startup_complete' | 'producer_send_success' | 'producer_send_error' | 'tool_data';
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
}

interface ConsumerEvent {
  readonly name: 'partitions_assigned' | 'partitions_revoked' | 'records_consumed' | 'offsets_committed';
  readonly success?: boolean;
  readonly partitions?: readonly {
    readonly partition: number;
    readonly minOffset: number;
    readonly maxOffset: number;
  }[];
}

/** Returns the records that a VerifiableConsumer read, as `partition@offset`. */
const consumedBy = ({ events }: Program<ConsumerEvent>) =>
  events
    .filter(({ name }) => name === 'records_consumed')
    .flatMap(({ partitions }) => partitions!)
    .flatMap(({ partition, minOffset, maxOffset }) =>
      Array.from({ length: maxOffset - minOffset + 1 }, (_, n) => `${partition}@${minOffset + n}`),
    );

function startConsumer(agent: string, topic: string, ...more: readonly string[]): Program<ConsumerEvent> {
  return startProgram(lifetime, 'org.apache.kafka.tools.VerifiableConsumer', [
    ...['--bootstrap-server', agent, '--topic', topic, '--group-id', `g-${topic}`],
    ...more,
  ]);
}

async function testVerifiable(topic: string, ...protocol: readonly string[]): Promise<void> {
  await createTopic(topic, 4);
  const doomed = startConsumer(agents[0], topic, ...protocol);
  const other = startConsumer(agents[2], topic, ...protocol);
  const holds = (events: readonly ConsumerEvent[]) =>
    events.findLast(({ name }) => name === 'partitions_assigned')?.partitions?.length;
  await doomed.until((events) => holds(events) === 2);
  await other.until((events) => holds(events) === 2);
  const producer = startProgram<ProducerEvent>(lifetime, 'org.apache.kafka.tools.VerifiableProducer', [
    ...['--bootstrap-server', agents[1], '--topic', topic, '--max-messages', '1000', '--throughput', '300'],
    // Keys spread records over the partitions, so that both consumers always have something to read.
    ...['--repeating-keys', '40'],
  ]);
  const reads = () => [...consumedBy(doomed), ...consumedBy(other)];
  await doomed.until(() => consumedBy(doomed).length > 50);
  await doomed.kill();
  await producer.end();
  const written = producer.events
    .filter(({ name }) => name === 'producer_send_success')
    .map(({ partition, offset }) => `${partition}@${offset}`);
  assert.equal(written.length, 1000);
  // The other consumer gets the partitions of the dead one when its session expires.
  await other.until(() => new Set(reads()).size === written.length);
  assert.deepEqual([...new Set(reads())].toSorted(), written.toSorted());
  assert.ok(other.events.filter(({ name }) => name === 'offsets_committed').every(({ success }) => success));
  // No live consumer reads a record twice, and committed records are not read again.
  assert.equal(new Set(consumedBy(other)).size, consumedBy(other).length);
  await other.stop();
  const late = startConsumer(agents[1], topic, ...protocol);
  await late.until((events) => holds(events) === 4);
  await java.ask('produce', { servers: agents[0], topic, partitions: 4, first: 0, count: 40 });
  await late.until(() => consumedBy(late).length >= 40);
  await late.stop();
  assert.equal(consumedBy(late).length, 40);
}

interface CopierEvent {
  readonly stage: 'ProcessLoop' | 'ShutdownComplete';
  readonly remaining: number;
  readonly totalProcessed: number;
}

interface Copy {
  readonly topic: string;
  readonly partitionCount: number;
  /** How a copier gets its partition: by assignment or by group. */
  readonly mode: readonly string[];
}

function startCopier({ topic, mode }: Copy, partition: number, agent: string): Program<CopierEvent> {
  return startProgram(lifetime, 'org.apache.kafka.tools.TransactionalMessageCopier', [
    ...['--broker-list', agent, '--input-topic', `${topic}-in`, '--output-topic', `${topic}-out`],
    ...['--input-partition', `${partition}`, '--consumer-group', `g-${topic}`],
    ...['--transactional-id', `${topic}-${partition}`, '--transaction-size', '25'],
    ...['--transaction-timeout', '10000', '--enable-random-aborts', ...mode],
  ]);
}

const perPartition = 600;

/** Copies a topic with one copier per partition. Each is killed once midway and continues on another agent. */
async function testCopy(copy: Copy): Promise<void> {
  const { topic, partitionCount } = copy;
  const recordCount = perPartition * partitionCount;
  await createTopic(`${topic}-in`, partitionCount);
  await createTopic(`${topic}-out`, partitionCount);
  await java.ask('produce', {
    ...{ servers: agents[0], topic: `${topic}-in`, partitions: partitionCount },
    ...{ first: 0, count: recordCount },
  });
  const copyPartition = async (partition: number) => {
    const first = startCopier(copy, partition, agents[partition % 3]!);
    await first.until((events) => (events.at(-1)?.totalProcessed ?? 0) >= 150);
    await first.kill();
    // Copiers abort transactions too, but whether aborted records reach the log is random.
    await java.ask('produce-aborted', {
      ...{ servers: agents[partition % 3], topic: `${topic}-out`, partitions: partitionCount },
      ...{ id: `${topic}-${partition}-aborted`, count: 10 },
    });
    const second = startCopier(copy, partition, agents[(partition + 1) % 3]!);
    await second.until((events) => events.at(-1)?.remaining === 0);
    return second;
  };
  const copiers = await Promise.all(Array.from({ length: partitionCount }, (_, n) => copyPartition(n)));
  for (const copier of copiers) await copier.stop();

  const expected = Array.from({ length: partitionCount }, (_, partition) =>
    Array.from({ length: perPartition }, (_, n) => `${n * partitionCount + partition}`),
  );
  assert.deepEqual(
    inPartitions(await read(`${topic}-out`, 'read_committed'), partitionCount),
    expected,
    'committed is each record once, in order',
  );
  const everything = await read(`${topic}-out`, 'read_uncommitted');
  assert.ok(everything.length >= recordCount + 10 * partitionCount, 'what was aborted lies in the log');
  // Aborted records lie between, so offsets have gaps; committed records have the same offsets for a read_uncommitted
  // reader.
  const all = new Set(everything.map((record) => record.join()));
  for (const record of await read(`${topic}-out`, 'read_committed')) assert.ok(all.has(record.join()));
}

describe('programs that verify', { concurrency: true }, () => {
  test('VerifiableConsumer takes over from one that was killed', bounded, () =>
    testVerifiable('verifiable', '--session-timeout', '6000'),
  );
  test('TransactionalMessageCopier copies exactly once, killed and aborted', bounded, () =>
    testCopy({ topic: 'copy', partitionCount: 2, mode: [] }),
  );
  test('TransactionalMessageCopier copies exactly once as the member of a group', bounded, () =>
    testCopy({ topic: 'copy-group', partitionCount: 1, mode: ['--group-mode', '--use-group-metadata'] }),
  );
});
