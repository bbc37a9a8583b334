import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { missingTool } from '../apache/tools.ts';
import { missingKcat } from '../brokers/kcat.ts';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import {
  javaReaderOf,
  type StartReader,
  startKafkajsReader,
  startKcatReader,
  startNewPlatformaticReader,
  startPlatformaticReader,
  untilReadAll,
} from './group-readers.ts';
import { pause } from './members.ts';
import { startThreeAgents } from './three-agents.ts';

/**
 * Consumer groups of kcat (librdkafka 2.0.2), kafkajs and @platformatic/kafka, each alone and mixed in one group, with
 * members on different agents.
 */
const lifetime = lastFirst({ after });
const agents = await startThreeAgents(lifetime);
const withoutKcat = missingKcat();
const withoutJava = missingTool();
const startJavaReader: StartReader = withoutJava ? undefined! : javaReaderOf(openApplications(lifetime));

const partitionCount = 6;
const batchCount = 60;

/** Writes more values to all partitions. */
async function produce(topic: string, name: string): Promise<readonly string[]> {
  const kafka = new Kafka({ clientId: 'judge', brokers: [agents[0]], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  const values = Array.from({ length: batchCount }, (_, n) => `${name}-${n}`);
  try {
    const messages = values.map((value, n) => ({ value, partition: n % partitionCount }));
    await producer.send({ topic, messages });
  } finally {
    await producer.disconnect();
  }
  return values;
}

const groups: readonly {
  readonly name: string;
  readonly skip: string | false;
  /** Members, started in sequence; the last joins after all others have left. */
  readonly members: readonly StartReader[];
}[] = [
  { name: 'kcat', skip: withoutKcat, members: [startKcatReader, startKcatReader, startKcatReader] },
  { name: 'kafkajs', skip: false, members: [startKafkajsReader, startKafkajsReader, startKafkajsReader] },
  {
    name: 'platformatic',
    skip: false,
    members: [startPlatformaticReader, startPlatformaticReader, startPlatformaticReader],
  },
  {
    name: 'platformatic-new-protocol',
    skip: false,
    members: [startNewPlatformaticReader, startNewPlatformaticReader, startNewPlatformaticReader],
  },
  {
    name: 'java-and-kcat',
    skip: withoutJava || withoutKcat,
    members: [startJavaReader, startKcatReader, startJavaReader],
  },
  {
    name: 'kcat-and-java',
    skip: withoutJava || withoutKcat,
    members: [startKcatReader, startJavaReader, startKcatReader],
  },
];

describe('groups of other clients', { concurrency: true }, () => {
  for (const { name, skip, members } of groups) {
    test(`${name}: two share a topic, and a third goes on where they stopped`, {
      skip,
      timeout: 120_000,
    }, async () => {
      const topic = `of-${name}`;
      const start = (at: number) => members[at]!(lifetime, agents[at]!, `g-${topic}`, topic);
      await createTopic(agents[0], topic, partitionCount);
      const written = [...(await produce(topic, 'first'))];
      const pair = [await start(0)];
      await untilReadAll(pair, written);
      pair.push(await start(1));
      // Keeps producing until the second member, which gets its partitions after a rebalance or two, has read
      // something.
      for (let more = 0; (await pair[1]!.values()).length === 0; more++) {
        written.push(...(await produce(topic, `more-${more}`)));
        await pause(300);
      }
      written.push(...(await produce(topic, 'last')));
      await untilReadAll(pair, written);
      for (const reader of pair) await reader.stop();

      const left = await produce(topic, 'left');
      const third = await start(2);
      await untilReadAll([third], left);
      await third.stop();
      // Neither earlier, committed records nor duplicates.
      assert.deepEqual((await third.values()).toSorted(), left.toSorted());
    });
  }
});
