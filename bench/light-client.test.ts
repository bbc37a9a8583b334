import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { connect } from '../tests/interop/brokers/stored.ts';
import { quickSizes } from './compare/compare-options.ts';
import { lightClient, missingGo } from './compare/light-client.ts';
import { newBench } from './compare/stage.ts';
import { storeRows } from './compare/store-rows.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { openNodeLoad } from './kafka/node-load.ts';
import { startLocal } from './kafka/weir.ts';

const skip = missingGo() && 'there is no Go on PATH';

test('the light client reads what it wrote, and says in one line why a server refused it', { skip }, () =>
  Lifetime.during(async (lifetime) => {
    const broker = await startLocal(lifetime, { profileFolder: undefined });
    const run = lightClient();
    const at = ['--server', broker.servers, '--partitions', '3'];
    await openNodeLoad().createTopics(broker.servers, ['light'], 3);

    const bytes = 20 * 2 * 4 * 1100;
    const work = ['--topic', 'light', '--batches', '2', '--records', '4', '--connections', '2'];
    const startMs = Math.floor(systemClock.nowMs());
    const written = await run(['produce', ...at, ...work, '--bytes', String(bytes)]);
    assert.ok(written.bytes > 0 && written.bytes <= bytes, `${written.bytes} of ${bytes} bytes`);
    assert.equal(written.requests % 2, 0);
    assert.ok(written.p50Ms > 0 && written.p50Ms <= written.p999Ms);

    const read = await run(['fetch', ...at, '--topic', 'light', '--bytes', String(written.bytes)]);
    assert.equal(read.bytes, written.bytes);

    assert.equal(
      await firstSince(broker.servers, 'light', startMs),
      0n,
      'retention would delete older records',
    );

    // command; what stderr says
    const refused: [command: string, topic: string, line: RegExp][] = [
      ['produce', 'missing', /^light-client: produce to missing-\d failed with error code 3\n$/],
      ['fetch', 'missing', /^light-client: fetch of missing-\d failed with error code 17\n$/],
    ];
    for (const [command, topic, line] of refused) {
      await assert.rejects(run([command, ...at, '--topic', topic]), ({ stderr }: { stderr: string }) => {
        assert.match(stderr, line);
        return true;
      });
    }
    await broker.stop();
  }),
);

/** Returns the offset of the first record of partition 0 that is not older; -1 if all are. */
async function firstSince(servers: string, name: string, sinceMs: number): Promise<bigint> {
  const connection = await connect(servers);
  const partitions = [{ partitionIndex: 0, timestamp: BigInt(sinceMs) }];
  const request = { replicaId: -1, topics: [{ name, partitions }] };
  const { topics } = await connection.request(apis.ListOffsets, request, { timeoutMs: 30_000 });
  connection.close();
  return topics[0]!.partitions[0]!.offset;
}

test('a row over an object store measures latency, throughput, requests and memory', { skip }, () =>
  Lifetime.during(async (lifetime) => {
    const [row] = storeRows;
    const { sides, notes } = await row!.start!(lifetime, { threads: [] });
    assert.deepEqual(
      sides.map(({ id }) => id),
      ['agent'],
    );
    assert.match(notes[0]!, /^tansu did not take part, because no program was named/);
    const unused = () => Promise.reject(new Error('the row does not need it'));
    const load = { ...openNodeLoad(), deleteTopics: unused, runTool: unused };
    const sizes = { ...quickSizes, storeSeconds: 0.3, storeBytes: 4e6 };
    const bench = newBench({ load, runTool: unused, runLight: lightClient(), sizes }, []);
    await load.createTopics(sides[0]!.broker.servers, ['stored'], row!.partitions);
    await row!.prepare(bench, sides[0]!, 'stored', sizes);
    const { values } = await row!.run(bench, sides[0]!, 'stored', sizes, 0);
    for (const name of ['mbPerSecond', 'openP50Ms', 'openP99Ms', 'putsPerGib', 'fetchMbPerSecond'] as const) {
      assert.ok(values[name]! > 0, name);
    }
    for (const { broker } of sides) await broker.stop();
  }),
);
