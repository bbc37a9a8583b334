import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst, temporaryFolder } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { startProgram } from './program.ts';
import { startThreeAgents } from './three-agents.ts';

/**
 * Kafka Streams 4.3.1 with `exactly_once_v2`: a count with a repartition topic and a changelog. Its process is killed
 * midway and restarts without its local state. Exercises internal topics, transactions and committed offsets.
 */
const skip = missingTool();
const lifetime = lastFirst({ after });
const agents = skip ? undefined! : await startThreeAgents(lifetime);
const java = skip ? undefined! : openApplications(lifetime);

type Configs = Readonly<Record<string, { readonly value: string }>>;
type Read = readonly (readonly [partition: number, offset: number, key: string, value: string])[];

const numberCount = 3_000;
const partitionCount = 2;
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

test('Kafka Streams counts exactly once, killed in the middle', { skip, timeout: 180_000 }, async () => {
  const [first, second, third] = agents;
  const folder = temporaryFolder(lifetime);
  for (const topic of ['numbers', 'counts']) {
    await java.ask('create-topic', { servers: first, topic, partitions: partitionCount });
  }
  const write = (from: number, count: number) =>
    java.ask('produce', { servers: first, topic: 'numbers', partitions: partitionCount, first: from, count });
  const start = (agent: string, state: string) =>
    startProgram<{ readonly processed: number }>(lifetime, 'weir.applications.CountingStreams', [
      agent,
      'numbers',
      'counts',
      join(folder, state),
      'counting',
    ]);
  const counted = () =>
    java.ask<Read>('read', { servers: third, topic: 'counts', isolation: 'read_committed' });

  await write(0, numberCount / 2);
  const doomed = start(first, 'first');
  await doomed.until((events) => (events.at(-1)?.processed ?? 0) > 300);
  await doomed.kill();
  await write(numberCount / 2, numberCount / 2);
  const next = start(second, 'second');
  await next.until(async () => (await counted()).length >= numberCount * kinds.length);
  // Kafka Streams deletes processed records from the repartition topic, some time after they were counted.
  const firstLeft = async () => {
    const topic = 'counting-counts-repartition';
    const { earliest } = await java.ask<{ readonly earliest: number }>('list-offsets', {
      ...{ servers: first, topic, partition: 0 },
    });
    return earliest;
  };
  await next.until(async () => (await firstLeft()) > 0);
  await next.stop();

  const countsOf = new Map<string, string[]>();
  for (const [, , word, count] of await counted()) {
    countsOf.set(word, [...(countsOf.get(word) ?? []), count]);
  }
  // Each word was counted from 1 to its total, without gaps or repetitions.
  assert.deepEqual(
    [...countsOf].toSorted(),
    [...expectedCounts()]
      .map(([word, count]): [string, string[]] => [word, Array.from({ length: count }, (_, n) => `${n + 1}`)])
      .toSorted(),
  );

  // The changelog topic is compacted, the repartition topic is not.
  const policyOf = async (topic: string) => {
    const configs = await java.ask<Configs>('describe-configs', {
      servers: first,
      type: 'TOPIC',
      name: topic,
    });
    return configs['cleanup.policy']?.value;
  };
  assert.equal(await policyOf('counting-counts-changelog'), 'compact');
  assert.equal(await policyOf('counting-counts-repartition'), 'delete');
});
