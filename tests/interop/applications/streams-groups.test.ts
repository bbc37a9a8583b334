import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst, startCluster, temporaryFolder } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { pause } from './members.ts';
import { startProgram } from './program.ts';

/**
 * Kafka Streams 4.3.1 with the streams group protocol (KIP-1071): a count with a repartition topic and a changelog, by
 * two instances of two threads, with standbys. An instance and an agent are killed midway. The coordinator creates the
 * internal topics and assigns the tasks.
 */
const skip = missingTool();
const lifetime = lastFirst({ after });
const cluster = skip
  ? undefined!
  : await startCluster(lifetime, {
      agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }],
      controlPlanes: 1,
    });
const java = skip ? undefined! : openApplications(lifetime);
const [first, second, third] = skip ? [] : cluster.agents.map((agent) => agent.address('Kafka'));

type Configs = Readonly<Record<string, { readonly value: string }>>;
type Read = readonly (readonly [partition: number, offset: number, key: string, value: string])[];

const numberCount = 2_000;
const partitionCount = 4;
/** Of each instance, as `CountingStreams.java` says. */
const threadCount = 2;
/** Words that `CountingStreams.java` derives from a number: one per kind. */
const kinds = [7, 11, 13];

function expectedCounts(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let number = 0; number < numberCount; number++) {
    for (const kind of kinds) {
      const word = `${kind}-${number % kind}`;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** Runs a tool of Apache Kafka through an agent that lives. */
async function tool(main: string, line: string): Promise<string> {
  const { status, printed } = await java.ask<{ readonly status: number; readonly printed: string }>('tool', {
    main,
    args: ['--bootstrap-server', third, ...line.split(' ')],
  });
  assert.equal(status, 0, printed);
  return printed;
}

const streamsGroups = (line: string) => tool('org.apache.kafka.tools.streams.StreamsGroupCommand', line);

/** Counts all numbers, and returns the counts of each word in the order of the output. */
async function count(application: string, guarantee: string, midway: () => Promise<void>) {
  const folder = temporaryFolder(lifetime);
  const [numbers, counts] = [`${application}-numbers`, `${application}-counted`];
  for (const topic of [numbers, counts]) {
    await java.ask('create-topic', { servers: third, topic, partitions: partitionCount });
  }
  const write = (from: number) =>
    java.ask('produce', {
      ...{ servers: third, topic: numbers, partitions: partitionCount, first: from, count: numberCount / 2 },
    });
  const start = (agent: string, state: string) =>
    startProgram<{ readonly processed: number }>(lifetime, 'weir.applications.CountingStreams', [
      ...[agent, numbers, counts, join(folder, state), application, 'streams', guarantee],
    ]);
  const counted = () =>
    java.ask<Read>('read', { servers: third, topic: counts, isolation: 'read_committed' });

  await write(0);
  const doomed = start(third!, 'first');
  const steady = start(`${first},${second},${third}`, 'second');
  await doomed.until((events) => events.length > 0);
  // The first instance may have processed all there is before the second has a task, so membership is what counts.
  const memberRow = new RegExp(`^${application}\\s`, 'gm');
  const memberCount = async () =>
    (await streamsGroups(`--describe --group ${application} --members`)).match(memberRow)?.length ?? 0;
  while ((await memberCount()) < 2 * threadCount) await pause(500);
  const writing = write(numberCount / 2);
  await doomed.kill();
  await midway();
  await writing;
  const ends = expectedCounts();
  const lasts = async () => new Map((await counted()).map(([, , word, value]) => [word, Number(value)]));
  await steady.until(async () => {
    const last = await lasts();
    await pause(1_000);
    return [...ends].every(([word, total]) => (last.get(word) ?? 0) >= total);
  });
  const described = await streamsGroups(`--describe --group ${application} --members`);
  const offsets = await streamsGroups(`--describe --group ${application} --offsets`);
  assert.match(offsets, new RegExp(`^${application}\\s+${numbers}\\s+3\\s+\\d+\\s*$`, 'm'));
  await steady.stop();
  const countsOf = new Map<string, string[]>();
  for (const [, , word, value] of await counted()) countsOf.set(word, [...(countsOf.get(word) ?? []), value]);
  return { countsOf, described };
}

test('Kafka Streams counts with the streams protocol, killed in the middle', {
  skip,
  timeout: 450_000,
}, async () => {
  // Sessions of real applications last 45 s; these end soon enough for a test.
  const configs = [
    ...['group.streams.session.timeout.ms=12000', 'group.streams.heartbeat.interval.ms=500'],
    ...['group.streams.initial.rebalance.delay.ms=500', 'group.streams.num.standby.replicas=1'],
  ];
  await tool(
    'kafka.admin.ConfigCommand',
    `--alter --entity-type brokers --entity-default --add-config ${configs.join(',')}`,
  );

  const exactly = await count('exactly', 'exactly_once_v2', () => cluster.agents[0]!.kill());
  assert.match(exactly.described, /exactly\s/);
  // Each word was counted from 1 to its total, without gaps or repetitions.
  assert.deepEqual(
    [...exactly.countsOf].toSorted(),
    [...expectedCounts()]
      .map(([word, total]): [string, string[]] => [word, Array.from({ length: total }, (_, n) => `${n + 1}`)])
      .toSorted(),
  );

  const atLeast = await count('atleast', 'at_least_once', () => cluster.agents[1]!.kill());
  // No number is lost; those that were in flight may be counted twice.
  for (const [word, total] of expectedCounts()) {
    assert.ok(Number(atLeast.countsOf.get(word)?.at(-1)) >= total, word);
  }

  // The coordinator created the internal topics with the configs and counts of the topology.
  const configsOf = (name: string) =>
    java.ask<Configs>('describe-configs', { servers: third, type: 'TOPIC', name });
  const changelog = await configsOf('exactly-counts-changelog');
  const repartition = await configsOf('exactly-counts-repartition');
  assert.equal(changelog['cleanup.policy']?.value, 'compact');
  assert.equal(repartition['cleanup.policy']?.value, 'delete');
  assert.equal(repartition['retention.ms']?.value, '-1');
  const topics = await tool(
    'org.apache.kafka.tools.TopicCommand',
    '--describe --topic exactly-counts-changelog',
  );
  assert.match(topics, new RegExp(`PartitionCount: ${partitionCount}`));
});

test('Kafka Streams changes to the streams protocol while it is stopped', {
  skip,
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder(lifetime);
  const application = 'migrated';
  const [numbers, counts] = [`${application}-numbers`, `${application}-counted`];
  for (const topic of [numbers, counts]) {
    await java.ask('create-topic', { servers: third, topic, partitions: partitionCount });
  }
  let written = 0;
  const write = async () => {
    const topic = { servers: third, topic: numbers, partitions: partitionCount };
    await java.ask('produce', { ...topic, first: written, count: numberCount / 4 });
    written += numberCount / 4;
  };
  const counted = () =>
    java.ask<Read>('read', { servers: third, topic: counts, isolation: 'read_committed' });
  /** Runs the application until all numbers are counted. */
  const run = async (protocol: string) => {
    const program = startProgram(lifetime, 'weir.applications.CountingStreams', [
      ...[third!, numbers, counts, join(folder, protocol), application, protocol, 'exactly_once_v2'],
    ]);
    await program.until(async () => (await counted()).length >= written * kinds.length);
    await program.stop();
    // A classic member is gone when its session ends, and until then the other protocol is refused.
    const state = /^migrated\s.*\sEmpty\s+0\s*$/m;
    const describe = `--describe --group ${application} --state`;
    const command =
      protocol === 'classic'
        ? () => tool('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', describe)
        : () => streamsGroups(describe);
    while (!state.test(await command())) await pause(500);
  };
  for (const protocol of ['classic', 'streams', 'classic']) {
    await write();
    await run(protocol);
  }
  const countsOf = new Map<string, number[]>();
  for (const [, , word, value] of await counted()) {
    countsOf.set(word, [...(countsOf.get(word) ?? []), Number(value)]);
  }
  // Each word was counted on, without gaps or repetitions, whichever side assigned the tasks.
  for (const [word, all] of countsOf) {
    assert.deepEqual(
      all,
      all.map((_, index) => index + 1),
      word,
    );
  }
  assert.equal(
    [...countsOf.values()].reduce((sum, { length }) => sum + length, 0),
    written * kinds.length,
  );
});

test('kafka-streams-groups lists, describes, resets and deletes', { skip, timeout: 120_000 }, async () => {
  assert.match(await streamsGroups('--list --state'), /exactly\s+Empty/);
  assert.match(await streamsGroups('--describe --group exactly --state'), /exactly\s+.*Empty\s+0/);
  // As with Apache Kafka, a group without members has nothing else to show.
  for (const part of ['--offsets', '--offsets --verbose', '--members']) {
    assert.equal((await streamsGroups(`--describe --group exactly ${part}`)).trim(), '', part);
  }
  assert.match(
    await streamsGroups(
      '--reset-offsets --group exactly --to-earliest --input-topic exactly-numbers --execute',
    ),
    /exactly-numbers\s+3\s+0/,
  );
  assert.match(await streamsGroups('--delete --group exactly'), /exactly/);
  assert.doesNotMatch(await streamsGroups('--list'), /exactly/);
});
