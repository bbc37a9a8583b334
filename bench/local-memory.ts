import { parseArgs } from 'node:util';
import { GiB, MiB, systemClock } from '@weir/core';
import { apis, errorByCode, zeroUuid } from '@weir/wire';
import { connect } from '../tests/interop/brokers/stored.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { recordBytes } from './kafka/load.ts';
import { openNodeLoad } from './kafka/node-load.ts';
import { unnamedFileBytes } from './kafka/process-stats.ts';
import { startLocal } from './kafka/weir.ts';

/**
 * `npm run bench:memory -- --gib 4`: memory of `weir local` while that much data is written, read back and deleted. It
 * stores records beyond 64 MiB in unlinked files, so its memory must not grow with the data.
 */
const { values: flags } = parseArgs({
  options: {
    gib: { type: 'string', default: '2' },
    topics: { type: 'string', default: '4' },
    /** Idle time at the end. */
    idle: { type: 'string', default: '30' },
  },
});
const partitions = 4;
/** Steps of the write phase that are reported separately. */
const writeSteps = 4;
const timeoutMs = 120_000;

const [gib, topicCount, idleS] = [flags.gib, flags.topics, flags.idle].map(Number);
if (!(gib! > 0 && topicCount! >= 1 && idleS! >= 0)) {
  process.stderr.write('bench:memory: --gib, --topics and --idle take numbers\n');
  process.exit(2);
}
process.once('exit', () => Lifetime.endAll());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const topics = Array.from({ length: topicCount! }, (_, number) => `memory-${number}`);
const recordsPerStep = Math.ceil((gib! * GiB) / recordBytes / writeSteps);
const write = (cells: readonly string[]) =>
  process.stdout.write(
    `${cells[0]!.padEnd(28)}${cells
      .slice(1)
      .map((cell) => cell.padStart(14))
      .join('')}\n`,
  );

await Lifetime.during(async (lifetime) => {
  const broker = await startLocal(lifetime, { profileFolder: undefined });
  const [server] = broker.processes;
  const startMs = systemClock.monotonicMs();
  const report = (stage: string) => {
    const { residentBytes, peakBytes } = server!.results!;
    const seconds = Math.round((systemClock.monotonicMs() - startMs) / 1_000);
    write([stage, ...[residentBytes, peakBytes, unnamedFileBytes(server!.pid)].map(mebibytes), `${seconds}`]);
  };
  write(['stage', 'RSS MiB', 'peak MiB', 'in files MiB', 'after s']);
  report('started');

  const load = openNodeLoad();
  await load.createTopics(broker.servers, topics, partitions);
  let records = 0;
  for (let step = 1; step <= writeSteps; step++) {
    const work = { topics, partitions, producers: 2, records: recordsPerStep };
    const written = await load.produce(broker.servers, { ...work, settings: { 'batch.size': 256 * 1024 } });
    records += written.records;
    report(`wrote ${((records * recordBytes) / GiB).toFixed(1)} GiB`);
  }
  for (const topic of topics) {
    const held = await recordsIn(broker.servers, topic);
    await load.fetch(broker.servers, { topic, partitions, records: held, repeats: 1 });
  }
  report('read everything');
  await deleteTopics(broker.servers);
  report('deleted the topics');
  await new Promise<void>((resolve) => systemClock.after(idleS! * 1_000, resolve));
  report(`left alone for ${idleS} s`);
});

function mebibytes(bytes: number): string {
  return String(Math.round(bytes / MiB));
}

async function recordsIn(servers: string, name: string): Promise<number> {
  const connection = await connect(servers, 'bench');
  try {
    const wanted = Array.from({ length: partitions }, (_, partitionIndex) => ({
      partitionIndex,
      timestamp: -1n,
    }));
    const { topics: found } = await connection.request(
      apis.ListOffsets,
      { replicaId: -1, topics: [{ name, partitions: wanted }] },
      { timeoutMs },
    );
    return found[0]!.partitions.reduce((sum, { offset }) => sum + Number(offset), 0);
  } finally {
    connection.close();
  }
}

async function deleteTopics(servers: string): Promise<void> {
  const connection = await connect(servers, 'bench');
  try {
    const { responses } = await connection.request(
      apis.DeleteTopics,
      { topics: topics.map((name) => ({ name, topicId: zeroUuid })), timeoutMs: 30_000 },
      { timeoutMs },
    );
    for (const { name, errorCode } of responses) {
      if (errorCode !== 0) throw new Error(`DeleteTopics of ${name}: ${errorByCode(errorCode)?.name}`);
    }
  } finally {
    connection.close();
  }
}
