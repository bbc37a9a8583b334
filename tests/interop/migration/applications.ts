import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { OutputOf } from '@weir/api';
import { openApplications } from '../applications/application.ts';
import { Member, type MemberState } from '../applications/members.ts';
import { startProgram } from '../applications/program.ts';
import { pause } from '../brokers/waiting.ts';
import { type Lifetime, temporaryFolder } from '../brokers/weir-process.ts';
import type { startDestination } from './migrating.ts';

interface ApplicationsToMove {
  /** A broker of the source. */
  readonly from: string;
  readonly to: Awaited<ReturnType<typeof startDestination>>;
  /** Whether the application of Kafka Streams finds its state where it ran before. Otherwise it reads its changelog. */
  readonly keepsState: boolean;
  /** Starts the migration of all topics, unless it runs. */
  readonly migrate: () => Promise<unknown>;
}

type Described = OutputOf<'orbit/describe_migration'>;
type Read = readonly (readonly [partition: number, offset: number, key: string, value: string])[];

const partitionCount = 2;
/** Words that `CountingStreams.java` derives from a number: one per kind. */
const kinds = [7, 11, 13];
const topics = [
  ...['numbers', 'counts', 'ledger'],
  ...['counting-counts-repartition', 'counting-counts-changelog'],
];

/**
 * Moves applications of Apache Kafka that are at work: an idempotent producer, which writes numbers through the agents
 * all the time; an application of Kafka Streams with `exactly_once_v2` that counts them, a transactional producer and a
 * consumer, all of which stop at the source before the cut-over and start here after it, as the guide says; and a
 * consumer that moves while agents forward.
 */
export async function moveApplications(
  lifetime: Lifetime,
  { from, to, keepsState, migrate }: ApplicationsToMove,
): Promise<void> {
  const folder = temporaryFolder(lifetime);
  const [there, here] = [openApplications(lifetime), openApplications(lifetime)];
  const described = () => to.call<Described>('orbit/describe_migration', to.on);
  const untilAll = async (state: string) => {
    for (;;) {
      const found = (await described()).topics.filter(({ topic }) => topics.includes(topic));
      if (found.filter((topic) => topic.state === state).length === topics.length) return;
      await pause(200);
    }
  };
  const start = (broker: string, state: string) =>
    startProgram<{ readonly processed: number }>(lifetime, 'weir.applications.CountingStreams', [
      ...[broker, 'numbers', 'counts', join(folder, state), 'counting'],
    ]);
  const processed = (events: readonly { readonly processed: number }[]) => events.at(-1)?.processed ?? 0;
  const transaction = async (java: typeof here, servers: string, value: string, end: 'commit' | 'abort') => {
    await java.ask('begin', { servers, transactionalId: 'ledger', topic: 'ledger', partition: 0, value });
    await java.ask(end, { transactionalId: 'ledger' });
  };

  for (const topic of ['numbers', 'counts'])
    await there.ask('create-topic', { servers: from, topic, partitions: partitionCount });
  await there.ask('create-topic', { servers: from, topic: 'ledger', partitions: 1 });
  const numbers = { topic: 'numbers', partitions: partitionCount };
  await there.ask('produce', { servers: from, ...numbers, first: 0, count: 600 });
  const old = start(from, 'first');
  await old.until((events) => processed(events) > 100);
  const member = (java: typeof here, servers: string, group: string) =>
    Member.join(java, group, { group, topic: 'numbers', servers });
  const [early, late] = [await member(there, from, 'early'), await member(there, from, 'late')];
  await transaction(there, from, 'at the source', 'commit');
  await transaction(there, from, 'aborted at the source', 'abort');
  await migrate();
  await untilAll('replicating');
  const chosen = { ...to.on, topics };
  await to.call('orbit/auto_migration/start_forwarding', chosen);

  const writer = new NumberWriter(here, to.broker, 600);
  // What the agents pass on reaches the application at the source.
  await Promise.race([old.until((events) => processed(events) > 700), writer.running]);
  const untilRead = async (one: Member, numbers: readonly number[]) => {
    for (;;) {
      const values = new Set((await stateOf(one)).read.map(([, , , value]) => value));
      if (numbers.every((number) => values.has(`${number}`))) return;
      await Promise.race([pause(200), writer.running]);
    }
  };
  await untilRead(early, [700]);
  const earlyThere = await early.stop();
  const earlyHere = await member(here, to.broker, 'early');
  await untilRead(earlyHere, [writer.count - 1]);
  await assert.rejects(
    here.ask('begin', {
      ...{ servers: to.broker, transactionalId: 'too early', topic: 'ledger', partition: 0, value: 'no' },
    }),
    /PolicyViolation|transactions are not passed on/,
  );
  await to.call('orbit/auto_migration/initiate', { ...chosen, timeout_seconds: 600 });
  const isHeldBack = async () =>
    (await described()).topics.some(
      ({ topic, holds }) =>
        topic === 'counting-counts-changelog' && holds.some(({ code }) => code === 'unproxied_writes'),
    );
  await Promise.race([old.until(isHeldBack), writer.running]);
  await transaction(there, from, 'the last one there', 'commit');
  await old.stop();
  const lateThere = await late.stop();
  await Promise.race([untilAll('migrated'), writer.running]);

  await transaction(here, to.broker, 'here', 'commit');
  await transaction(here, to.broker, 'aborted here', 'abort');
  const lateHere = await member(here, to.broker, 'late');
  const next = start(to.broker, keepsState ? 'first' : 'second');
  const before = writer.count;
  await next.until(() => writer.count > before + 200);
  const count = await writer.stop();
  const read = (servers: string, topic: string) =>
    here.ask<Read>('read', { servers, topic, isolation: 'read_committed' });
  await next.until(async () => (await read(to.broker, 'counts')).length >= count * kinds.length);
  await next.stop();

  const countsOf = new Map<string, string[]>();
  for (const [, , word, found] of await read(to.broker, 'counts'))
    countsOf.set(word, [...(countsOf.get(word) ?? []), found]);
  // Each word was counted from 1 to its total, without gaps or repetitions.
  assert.deepEqual([...countsOf].toSorted(), expectedCounts(count));
  const written = Map.groupBy(await read(to.broker, 'numbers'), ([partition]) => partition);
  const numbersOf = (partition: number) =>
    Array.from({ length: count }, (_, n) => n).filter((n) => n % partitionCount === partition);
  for (const [partition, records] of written)
    assert.deepEqual(
      records.map(([, , , number]) => Number(number)),
      numbersOf(partition),
    );
  const last = [count - 2, count - 1];
  for (const one of [earlyHere, lateHere]) await untilRead(one, last);
  const [earlyEnd, lateEnd] = [await earlyHere.stop(), await lateHere.stop()];
  for (let partition = 0; partition < partitionCount; partition++) {
    const expected = numbersOf(partition);
    // What was committed when a topic was cut over is exact.
    assert.deepEqual([...readOf(lateThere, partition), ...readOf(lateEnd, partition)], expected);
    // Until then offsets are copied every few seconds, so that a consumer may read some records again.
    const [before, after] = [readOf(earlyThere, partition), readOf(earlyEnd, partition)];
    assert.deepEqual(before, expected.slice(0, before.length));
    assert.deepEqual(after, expected.slice(-after.length));
    assert.ok(before.length + after.length >= expected.length, 'nothing is left out');
  }
  assert.ok((await read(from, 'numbers')).length < count, 'the source got none after the cut-over');
  assert.deepEqual(
    (await read(to.broker, 'ledger')).map(([, , , value]) => value),
    ['at the source', 'the last one there', 'here'],
  );
}

async function stateOf(member: Member): Promise<MemberState> {
  const state = await member.state();
  assert.equal(state.failure, null);
  return state;
}

/** The numbers that a consumer read from a partition, in their order. */
function readOf({ read }: MemberState, partition: number): number[] {
  return read.filter(([, from]) => from === partition).map(([, , , value]) => Number(value));
}

function expectedCounts(count: number): [word: string, counts: string[]][] {
  const totals = new Map<string, number>();
  for (let number = 0; number < count; number++)
    for (const kind of kinds) {
      const word = `${kind}-${number % kind}`;
      totals.set(word, (totals.get(word) ?? 0) + 1);
    }
  return [...totals]
    .map(([word, total]): [string, string[]] => [word, Array.from({ length: total }, (_, n) => `${n + 1}`)])
    .toSorted();
}

/** Writes numbers through the agents until it is stopped. */
class NumberWriter {
  count: number;
  /** Rejects if one cannot be written. */
  readonly running: Promise<void>;
  #isStopped = false;

  constructor(java: ReturnType<typeof openApplications>, servers: string, first: number) {
    this.count = first;
    this.running = this.#write(java, servers);
    this.running.catch(() => undefined);
  }

  async #write(java: ReturnType<typeof openApplications>, servers: string): Promise<void> {
    const perTurn = 20;
    while (!this.#isStopped) {
      const numbers = { topic: 'numbers', partitions: partitionCount, first: this.count, count: perTurn };
      await java.ask('produce', { servers, ...numbers });
      this.count += perTurn;
      await pause(100);
    }
  }

  /** Returns how many numbers there are. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.running;
    return this.count;
  }
}
