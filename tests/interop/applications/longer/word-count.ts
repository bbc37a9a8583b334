import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cluster, type Lifetime, lastFirst } from '../../brokers/weir-process.ts';
import { pause } from '../members.ts';
import { startProgram } from '../program.ts';
import { begin, java, type Protocol, type Run, runs, settingsFile, skip } from './streams-runs.ts';

/**
 * `npm run test:streams`: Apache's word count of Kafka Streams 4.3.1 by the streams group protocol (KIP-1071) and by
 * the classic one, at least once and exactly once. An instance and an agent are killed meanwhile.
 */
const [lines, counts] = ['streams-plaintext-input', 'streams-wordcount-output'];
const lineCount = 2_000;
const wordPartitions = 4;

type Read = readonly (readonly [partition: number, offset: number, word: string, count: string])[];

function expectedCounts(): ReadonlyMap<string, number> {
  const expected = new Map<string, number>();
  for (let n = 0; n < lineCount; n++) {
    for (const word of [`a${n % 7}`, `b${n % 11}`, `c${n % 13}`]) {
      expected.set(word, (expected.get(word) ?? 0) + 1);
    }
  }
  return expected;
}

/** Counts the words with two instances, of which one is killed with an agent; the counts of each word in order. */
async function countWords(lifetime: Lifetime, run: Run): Promise<ReadonlyMap<string, number[]>> {
  const { cluster, servers } = await begin(lifetime, run[1], [lines, counts], wordPartitions);
  const lastAgent = cluster.agents[2]!.address('Kafka');
  const start = () => {
    const { file, flags } = settingsFile(lifetime, servers, run, {
      'application.id': 'word-count',
      'num.stream.threads': '2',
    });
    const main = 'org.apache.kafka.streams.examples.wordcount.WordCountDemo';
    return startProgram<never>(lifetime, main, [file], flags);
  };
  const write = (first: number) =>
    java.ask('produce', {
      ...{ servers: lastAgent, topic: lines, partitions: wordPartitions, first, count: lineCount / 2 },
      words: true,
    });
  const read = () =>
    java.ask<Read>('read', {
      ...{ servers: lastAgent, topic: counts, isolation: 'read_committed', longs: true },
    });
  await write(0);
  const doomed = start();
  await doomed.until(async () => (await read()).length > 0);
  const steady = start();
  await membersOf(cluster, run[1], 2);
  const writing = write(lineCount / 2);
  await doomed.kill();
  await cluster.agents[0]!.kill();
  await writing;
  const expected = expectedCounts();
  await steady.until(async () => {
    const last = new Map((await read()).map(([, , word, count]) => [word, Number(count)]));
    await pause(500);
    return [...expected].every(([word, total]) => (last.get(word) ?? 0) >= total);
  });
  await steady.stop();
  const countsOf = new Map<string, number[]>();
  for (const [, , word, count] of await read()) {
    countsOf.set(word, [...(countsOf.get(word) ?? []), Number(count)]);
  }
  return countsOf;
}

/** Waits until each of the instances has its threads in the group. */
async function membersOf(cluster: Cluster, protocol: Protocol, instances: number): Promise<void> {
  const main =
    protocol === 'classic'
      ? 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand'
      : 'org.apache.kafka.tools.streams.StreamsGroupCommand';
  const servers = cluster.agents[2]!.address('Kafka');
  const args = `--bootstrap-server ${servers} --describe --group word-count --members`.split(' ');
  for (;;) {
    const { printed } = await java.ask<{ readonly printed: string }>('tool', { main, args });
    if ((printed.match(/^word-count\s/gm)?.length ?? 0) >= 2 * instances) return;
    await pause(500);
  }
}

for (const run of runs) {
  const [guarantee, protocol] = run;
  test(`the word count, ${protocol}, ${guarantee}`, { skip, timeout: 450_000 }, async (t) => {
    const counted = await countWords(lastFirst(t), run);
    for (const [word, total] of expectedCounts()) {
      const all = Array.from({ length: total }, (_, n) => n + 1);
      // No line is lost, and none is counted twice; at least once, those in flight may be.
      if (guarantee === 'exactly_once_v2') assert.deepEqual(counted.get(word), all, word);
      else assert.ok((counted.get(word)?.at(-1) ?? 0) >= total, word);
    }
  });
}
