import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { systemClock, systemEnvironment } from '@weir/core';
import { buildJava } from '../../tests/interop/apache/build.ts';
import { missingTool } from '../../tests/interop/apache/tools.ts';
import { pythonOf, pythonWith } from '../../tests/interop/python/venv.ts';
import { apacheRelease, startApache } from '../kafka/apache.ts';
import { Lifetime } from '../kafka/lifetime.ts';
import { machine } from '../kafka/machine.ts';
import type { ServerProcess } from '../kafka/server-process.ts';
import { markdownTable } from '../kafka/table.ts';
import { startCluster } from '../kafka/weir.ts';

/**
 * `npm run bench:outage`: what librdkafka producers leave in the topic after an outage that is longer than their
 * delivery timeout. The control plane of Weir, or Apache Kafka as a whole, is suspended for a while and resumed; then
 * the topic is counted.
 */
const usage = `npm run bench:outage -- [flags]
  --pause <seconds>    how long the outage lasts (16)
  --timeout <seconds>  message.timeout.ms of the producers (10)
  --request-timeout <seconds>  request.timeout.ms of the producers (librdkafka's default, 30)
  --rate <count>       values per second (200)
  --weir-alone         without Apache Kafka beside it
`;

/** Time of writing before the outage and after it. */
const secondsBefore = 5;
const secondsAfter = 10;
const partitions = 4;
const paddingBytes = 100;
/** A longer run is stuck. */
const runMsMax = 20 * 60_000;

interface Outage {
  readonly pauseSeconds: number;
  readonly rate: number;
  readonly config: Readonly<Record<string, string | number | boolean>>;
}

interface Counted {
  readonly values: number;
  readonly delivered: number;
  readonly failed: number;
  /** Values without a delivery report. */
  readonly unknown: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly records: number;
  readonly duplicates: number;
  readonly copiesMax: number;
  /** Reported as delivered, but not in the topic. */
  readonly lost: number;
  readonly failedButWritten: number;
}

function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function during(lifetime: Lifetime, server: ServerProcess, outage: Outage): Promise<Counted> {
  const { PATH, HOME } = systemEnvironment;
  const child = spawn(pythonOf('confluent-kafka'), [join(import.meta.dirname, 'write_and_count.py')], {
    env: { PATH, HOME },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  lifetime.owns(child);
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`the producer ended with ${signal ?? code}`)));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await Promise.race([lines.next(), ended])).value as string;
  const seconds = secondsBefore + outage.pauseSeconds + secondsAfter;
  const { config, rate } = outage;
  child.stdin.end(
    `${JSON.stringify({ config, rate, seconds, topic: 'outage', partitions, padding: paddingBytes })}\n`,
  );
  const first = await nextLine();
  if (first !== 'writing') throw new Error(`the producer said ${first}`);
  await passed(secondsBefore);
  server.pause();
  try {
    await passed(outage.pauseSeconds);
  } finally {
    server.resume();
  }
  return JSON.parse(await nextLine()) as Counted;
}

function passed(seconds: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(seconds * 1000, resolve));
}

async function measure(classPath: string | undefined, outage: Omit<Outage, 'config'>, settings: object) {
  const rows: string[][] = [];
  for (const isIdempotent of [false, true]) {
    for (const name of ['Weir', 'Kafka'] as const) {
      if (name === 'Kafka' && classPath === undefined) continue;
      print(`${name}, ${isIdempotent ? '' : 'not '}idempotent …`);
      await Lifetime.during(async (lifetime) => {
        const [servers, paused] = await start(lifetime, name, classPath);
        const config = {
          ...settings,
          'bootstrap.servers': servers,
          'enable.idempotence': isIdempotent,
        };
        const counted = await during(lifetime, paused, { ...outage, config });
        print(JSON.stringify(counted));
        const { values, delivered, failed, records, duplicates, copiesMax, lost, failedButWritten } = counted;
        const results = [values, delivered, failed, records, duplicates, copiesMax, failedButWritten, lost];
        rows.push([isIdempotent ? 'yes' : 'no', name, ...results.map(String)]);
        if (lost > 0 || counted.unknown > 0) process.exitCode = 1;
      });
    }
  }
  return rows;
}

/** Starts the server; returns the client address and the process to suspend for the outage. */
async function start(
  lifetime: Lifetime,
  name: 'Weir' | 'Kafka',
  classPath: string | undefined,
): Promise<[string, ServerProcess]> {
  if (name === 'Kafka') {
    const kafka = await startApache(lifetime, classPath!);
    return [kafka.servers, kafka.processes[0]!];
  }
  const { servers, controlPlane } = await startCluster(lifetime, { profileFolder: undefined });
  return [servers, controlPlane];
}

const columns = [
  ...['idempotent', 'server', 'values', 'delivered', 'failed', 'records', 'duplicates', 'most copies'],
  ...['failed, but written', 'lost'],
];

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pause: { type: 'string', default: '16' },
      timeout: { type: 'string', default: '10' },
      'request-timeout': { type: 'string', default: '30' },
      rate: { type: 'string', default: '200' },
      'weir-alone': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const noClient = pythonWith('confluent-kafka').missing;
  if (noClient !== false) throw new Error(noClient);
  const noKafka = values['weir-alone'] ? '--weir-alone was given' : missingTool();
  if (noKafka !== false) print(`bench:outage: ${noKafka}, so that nothing is compared`);
  const classPath = noKafka === false ? buildJava(join(import.meta.dirname, '../kafka/java')) : undefined;
  const settings = {
    'message.timeout.ms': Number(values.timeout) * 1000,
    'request.timeout.ms': Number(values['request-timeout']) * 1000,
  };
  const outage = { pauseSeconds: Number(values.pause), rate: Number(values.rate) };
  const rows = await measure(classPath, outage, settings);
  process.stdout.write(
    `An outage of ${values.pause} s, message.timeout.ms ${settings['message.timeout.ms']}; Apache Kafka ${apacheRelease}; ${machine()}\n\n` +
      `${markdownTable(columns, rows)}\n`,
  );
}

process.once('exit', () => Lifetime.endAll());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const cancel = systemClock.after(runMsMax, () => process.exit(1));
try {
  await run();
} catch (error) {
  print(`bench:outage: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
cancel();
