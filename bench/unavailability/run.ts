import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@weir/core';
import { buildJava } from '../../tests/interop/apache/build.ts';
import { missingTool } from '../../tests/interop/apache/tools.ts';
import { createTopic } from '../../tests/interop/brokers/topics.ts';
import { startPostgres } from '../../tests/interop/postgres/server.ts';
import { pythonWith } from '../../tests/interop/python/venv.ts';
import { apacheRelease } from '../kafka/apache.ts';
import { Lifetime } from '../kafka/lifetime.ts';
import { machine } from '../kafka/machine.ts';
import { markdownTable } from '../kafka/table.ts';
import { SteadyClients } from './clients.ts';
import { type FaultName, faults, pause } from './faults.ts';
import { type Outage, outagesOf, percentile } from './gaps.ts';
import { type Cluster, nodeCount, startApacheCluster, startWeirCluster } from './servers.ts';

/** Faults of clusters that are built for them: processes in three regions, objects in several buckets. */
const faultsOfTheirOwn: readonly FaultName[] = ['region-lost', 'bucket-out'];
const usualFaults = (Object.keys(faults) as FaultName[]).filter((name) => !faultsOfTheirOwn.includes(name));

/**
 * `npm run bench:unavailability`: how long clients with default settings wait when a process of three fails. Apache's
 * Java client and librdkafka write and read meanwhile; each acknowledgement and each record is noted.
 */
const usage = `npm run bench:unavailability -- [flags]
  --server weir|kafka    what is measured (weir)
  --database sqlite|postgres  of Weir's control planes (sqlite)
  --faults <names>       with how often each happens: node-killed:50,leader-killed:50 (${usualFaults.join(', ')},
                         three times each); region-lost needs PostgreSQL, and a run of its own, as
                         bucket-out of Weir does
  --settle <seconds>     from the return of a process to the next fault (Weir 3, Kafka 10)
  --rate <count>         records per second of each client (240)
  --logs <folder>        where Weir's processes write a log each; none by default
`;

const topic = 'outages';
const partitions = 12;
const seriesCount = 4;
const warmUpMs = 8_000;
const startMsMax = 60_000;
/** A longer run is stuck. */
const runMsMax = 60 * 60_000;

/** Set by SIGTERM: what was measured until then is printed. */
let isOver = false;

interface Settings {
  readonly plan: readonly (readonly [name: FaultName, times: number])[];
  readonly settleMs: number;
  readonly rate: number;
}

function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

function planOf(text: string | undefined): Settings['plan'] {
  if (text === undefined) return usualFaults.map((name) => [name, nodeCount]);
  return text.split(',').map((word) => {
    const [name, times = '1'] = word.split(':') as [string, string?];
    if (!(name in faults) || !(Number(times) >= 1))
      throw new Error(`--faults ${word}: known are ${Object.keys(faults).join(', ')}, as node-killed:50`);
    return [name as FaultName, Number(times)] as const;
  });
}

async function measure(lifetime: Lifetime, cluster: Cluster, classPath: string, settings: Settings) {
  const { servers } = cluster;
  const [first] = servers.split(',');
  const isKafka = cluster.name !== 'Weir';
  // As its documentation recommends for records that must not be lost.
  await createTopic(first!, topic, partitions, {
    replicas: isKafka ? nodeCount : 1,
    configs: isKafka ? { 'min.insync.replicas': '2' } : {},
  });
  const clients = new SteadyClients(lifetime, classPath, { servers, topic, partitions, rate: settings.rate });
  const startMs = systemClock.monotonicMs();
  while (clients.seriesCount < seriesCount) {
    clients.check();
    if (systemClock.monotonicMs() - startMs > startMsMax) throw new Error('not all clients write and read');
    await pause(100);
  }
  await pause(warmUpMs);
  const rows: string[][] = [];
  for (const [name, times] of settings.plan) {
    if (isOver) break;
    const atMs: number[] = [];
    for (let turn = 0; turn < times && !isOver; turn++) {
      clients.check();
      atMs.push(systemClock.nowMs());
      await faults[name].run(cluster, turn);
      await pause(settings.settleMs);
      print(`${name} ${turn + 1} of ${times}`);
    }
    const outages = outagesOf(clients.progress, atMs, systemClock.nowMs());
    for (const [series, all] of [...outages].sort(([a], [b]) => a.localeCompare(b))) {
      print(`${name}, ${series}: ${all.map(({ worstPartitionMs }) => worstPartitionMs).join(' ')}`);
      rows.push([faults[name].what, `${atMs.length}`, series, ...figures(all)]);
    }
    clients.progress.length = 0;
  }
  return rows;
}

function figures(outages: readonly Outage[]): readonly string[] {
  const seconds = (of: keyof Outage, share: number) =>
    (
      percentile(
        outages.map((outage) => outage[of]),
        share,
      ) / 1000
    ).toFixed(2);
  return [
    seconds('anyMs', 0.5),
    seconds('anyMs', 0.99),
    seconds('worstPartitionMs', 0.5),
    seconds('worstPartitionMs', 0.99),
  ];
}

const columns = [
  ...['fault', 'times', 'client', 'any partition, p50 s', 'any partition, p99 s'],
  ...['worst partition, p50 s', 'worst partition, p99 s'],
];

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'weir' },
      database: { type: 'string', default: 'sqlite' },
      faults: { type: 'string' },
      settle: { type: 'string' },
      rate: { type: 'string', default: '240' },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const isKafka = values.server === 'kafka';
  if (!isKafka && values.server !== 'weir')
    throw new Error(`--server ${values.server}: known are weir, kafka`);
  const missing = missingTool() || pythonWith('confluent-kafka').missing;
  if (missing !== false) throw new Error(missing);
  const classPath = buildJava(join(import.meta.dirname, '../kafka/java'));
  const settleMs = Number(values.settle ?? (isKafka ? 10 : 3)) * 1000;
  const settings: Settings = { plan: planOf(values.faults), settleMs, rate: Number(values.rate) };
  const isPlanned = (fault: FaultName) => settings.plan.some(([name]) => name === fault);
  if (isKafka && faultsOfTheirOwn.some(isPlanned))
    throw new Error(`--server kafka has no ${faultsOfTheirOwn.join(' and no ')}`);
  const database = !isKafka && values.database === 'postgres' ? await startPostgres() : undefined;
  if (database !== undefined && 'missing' in database) throw new Error(database.missing);
  try {
    await Lifetime.during(async (lifetime) => {
      const cluster = isKafka
        ? await startApacheCluster(lifetime, classPath)
        : await startWeirCluster(lifetime, {
            database: database?.url,
            logs: values.logs,
            hasRegions: isPlanned('region-lost'),
            hasBuckets: isPlanned('bucket-out'),
          });
      const rows = await measure(lifetime, cluster, classPath, settings);
      const what = isKafka ? `Apache Kafka ${apacheRelease}, three nodes` : `Weir over ${values.database}`;
      process.stdout.write(`${what}; ${machine()}\n\n${markdownTable(columns, rows)}\n`);
    });
  } finally {
    await database?.stop();
  }
}

process.once('exit', () => Lifetime.endAll());
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.once('SIGTERM', () => {
  isOver = true;
});
const cancel = systemClock.after(runMsMax, () => process.exit(1));
try {
  await run();
} catch (error) {
  print(`bench:unavailability: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
cancel();
