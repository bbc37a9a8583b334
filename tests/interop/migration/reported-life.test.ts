import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OutputOf } from '@weir/api';
import { allAnswers, createTopic, type KafkaCluster, produceRecords } from '@weir/client';
import { pause } from '../brokers/waiting.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openCluster, startDestination } from './migrating.ts';

const topic = 'orders';
/** So long a state has to last to be sure of an event: the agent looks every few seconds. */
const roundMs = 6_000;
/** Its name is part of the contract. */
const counted =
  /^service_orbit_auto_migration_unproxied_source_writes_num_records\{[^}]*topic="orders"\} (\d+)$/m;

/** What metrics, states and events say of writes past the agents, and of cut-overs that time out, abort or end. */
test('the life of a migration is in its metric, its states and orbit_logs', {
  timeout: 300_000,
}, async () => {
  const lifetime = lastFirst({ after });
  const [old, to] = [await startDestination(lifetime), await startDestination(lifetime)];
  const [there, here] = [openCluster(lifetime, old.broker), openCluster(lifetime, to.broker)];
  await createTopic(there, { name: topic, partitions: 1, configs: [] });
  await to.call('update_events_state', { ...to.on, enabled: true });
  await to.migrate(old.broker);
  const states = async () => {
    const { topics } = await to.call<OutputOf<'orbit/describe_migration'>>('orbit/describe_migration', to.on);
    return topics.find((one) => one.topic === topic);
  };
  const until = async (isSo: (found: NonNullable<Awaited<ReturnType<typeof states>>>) => boolean) => {
    for (;;) {
      const found = await states();
      if (found !== undefined && isSo(found)) return;
      await pause(200);
    }
  };
  const change = (operation: string, more: object = {}) =>
    to.call(`orbit/auto_migration/${operation}`, { ...to.on, topics: [topic], ...more });

  await until(({ state, lag_offsets }) => state === 'replicating' && lag_offsets === 0);
  await change('start_forwarding');
  await write(here, 30);
  // What the source gets before an agent has looked for the first time is not counted.
  await until(
    ({ forwarded_records, unproxied_records }) => forwarded_records === 30 && unproxied_records === 0,
  );
  await write(there, 12);
  await until(({ holds }) => holds.some(({ code }) => code === 'unproxied_writes'));

  // A producer goes on to write past the agents, so that the cut-over does not come to its end in time.
  let past = 12;
  await change('initiate', { timeout_seconds: 10 });
  for (let isOver = false; !isOver; past++) {
    await write(there, 1);
    await pause(500);
    const found = await states();
    isOver = found?.changed_by === 'timeout';
    assert.equal(found?.state, 'proxy');
  }
  await until(({ unproxied_records }) => unproxied_records === past);
  const url = `http://127.0.0.1:${to.found(/HTTP\s+\S*?:(\d+)/)}/metrics`;
  const metrics = await (await fetch(url)).text();
  assert.equal(counted.exec(metrics)?.[1], String(past));

  await change('initiate');
  await pause(roundMs);
  await change('abort');
  await until(({ cut_over_requested }) => !cut_over_requested);
  await pause(roundMs);
  await change('abort', { to: 'replicating' });
  await until(({ state }) => state === 'replicating');
  // The agent passes writes on until it knows of it.
  const refusal = async () => {
    for (;;) {
      const problem = await write(here, 1).catch((error: Error) => error);
      if (problem !== undefined) return problem;
    }
  };
  assert.match(String(await refusal()), /POLICY_VIOLATION/);
  await pause(roundMs);
  await change('start_forwarding');
  await pause(roundMs);
  await change('initiate');
  await until(({ state }) => state === 'migrated');
  await write(here, 1);

  const wanted = [
    ...['initiated', 'cut_over_requested', 'timed_out', 'cut_over_requested', 'aborted', 'aborted'],
    ...['initiated', 'cut_over_requested', 'blocked', 'completed'],
  ].map((what) => `auto_migration_${what}`);
  for (;;) {
    const { events } = await to.call<OutputOf<'search_events'>>('search_events', {
      ...to.on,
      event_types: ['orbit_logs'],
      time_range: { relative: '15m' },
      sort: 'asc',
    });
    const life = events
      .map(({ data }) => data as { type: string; topic?: string; pipeline_name: string })
      .filter(({ type }) => type.startsWith('auto_migration_') && type !== 'auto_migration_held_back');
    if (life.length < wanted.length) {
      await pause(500);
      continue;
    }
    assert.deepEqual(
      life.map(({ type, topic, pipeline_name }) => [type, topic, pipeline_name]),
      wanted.map((type) => [type, topic, 'move']),
    );
    break;
  }
});

/** Writes records one after another. */
async function write(cluster: KafkaCluster, count: number): Promise<void> {
  const record = { key: null, value: Buffer.from('order') };
  for (let n = 0; n < count; n++)
    allAnswers(
      await produceRecords(cluster, topic, new Map([[0, [record]]]), { acks: 'all', codec: 'none' }),
    );
}
