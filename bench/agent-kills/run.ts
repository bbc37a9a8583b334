import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock, systemEnvironment } from '@weir/core';

/**
 * What clients notice when processes are killed: `node bench/agent-kills/run.ts`. Every five to six seconds, one of
 * three agents (or the leader of two control planes) is killed and restarted, while consumer groups of third-party
 * clients read 200,000 records and third-party producers write. Prints the longest gap without progress per client. The
 * clients are librdkafka (Python) and franz-go (Go), installed and built under `node_modules/.cache`.
 */
const { values: flags } = parseArgs({
  options: {
    /** What to kill: `agent`, `leader` or `nothing`. */
    kill: { type: 'string', default: 'agent' },
    /** Another checkout to measure. */
    weir: { type: 'string', default: join(import.meta.dirname, '../..') },
    /** Journal database of the control planes: a SQLite file, or a postgres:// URL. */
    database: { type: 'string' },
    /** Path of a kgo-verifier program; its group then reads too. */
    verifier: { type: 'string' },
    /** Runs only the clients whose row begins with this text. */
    only: { type: 'string', default: '' },
    records: { type: 'string', default: '200000' },
    /** Records per second that each group reads. */
    rate: { type: 'string', default: '5000' },
    /** Members of each group of librdkafka. */
    members: { type: 'string', default: '1' },
    /**
     * librdkafka groups read what the librdkafka producer writes during the run, so that a gap in a partition is a gap
     * of the cluster.
     */
    live: { type: 'boolean', default: false },
  },
});

const cache = join(import.meta.dirname, '../../node_modules/.cache/weir-agent-kills');
const topic = 'kills';
const partitions = 12;
const agentKey = `aks_${'c0ffee'.repeat(11).slice(0, 64)}`;
const clusterId = 'vci_kills';
const zone = '-availabilityZone=zone-a';
const recordCount = Number(flags.records);
const rate = Number(flags.rate);
const limitS = 60 + recordCount / rate;
const writesPerSecond = 600;
const recordBytes = 1_000;
/** Records in the topic when the clients start. */
const loadedCount = flags.live ? 1_200 : recordCount;

const scratch = mkdtempSync(join(tmpdir(), 'weir-agent-kills-'));
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts a Weir command and waits until it has printed its addresses. */
async function startWeir(args: readonly string[]): Promise<ChildProcess> {
  const { PATH, HOME } = systemEnvironment;
  const child = spawn(join(flags.weir, 'bin/weir'), args, {
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`weir ${args[0]} ended with ${code}`)));
    child.stdout!.on('data', (text) => {
      if (/Kafka|control plane {2}/.test(String(text))) resolve();
    });
  });
  return child;
}

interface Outcome {
  readonly count: number;
  readonly tookMs: number;
  readonly again?: number;
  readonly gapMs?: number;
  readonly gapOfPartitionMs?: number;
}

function run(command: string, args: readonly string[]): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      if (code === 0) resolve(JSON.parse(out) as Outcome);
      else reject(new Error(`${command} ended with ${code}`));
    });
  });
}

/** Runs a client that reports only success or failure. */
async function verify(args: readonly string[]): Promise<Outcome> {
  const startMs = systemClock.monotonicMs();
  const child = spawn(flags.verifier!, ['-topic=verified', `-brokers=${brokers}`, ...args], {
    cwd: scratch,
    stdio: 'ignore',
  });
  children.add(child);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  children.delete(child);
  return { count: code === 0 ? recordCount : 0, tookMs: systemClock.monotonicMs() - startMs };
}

function must(command: string, args: readonly string[], cwd?: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

function clients() {
  mkdirSync(cache, { recursive: true });
  const python = join(cache, 'python/bin/python');
  if (!existsSync(python)) must('python3', ['-m', 'venv', join(cache, 'python')]);
  if (spawnSync(python, ['-c', 'import confluent_kafka']).status !== 0)
    must(python, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', 'confluent-kafka==2.12.1']);
  const franz = join(cache, 'franz');
  must('go', ['build', '-o', franz, '.'], join(import.meta.dirname, 'franz'));
  return {
    librdkafka: (options: object) =>
      run(python, [join(import.meta.dirname, 'reader.py'), JSON.stringify({ topic, limitS, ...options })]),
    franz: (...args: readonly string[]) => run(franz, [`-topic=${topic}`, `-limit=${limitS}s`, ...args]),
  };
}

const tools = clients();
const ports = await Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()]);
const [controlPlanePorts, agentPorts] = [ports.slice(0, 2), ports.slice(2)];
const brokers = agentPorts.map((port) => `127.0.0.1:${port}`).join(',');
const database = flags.database ?? join(scratch, 'weir.db');
const startControlPlane = (slot: number) =>
  startWeir([
    'control-plane',
    `-defaultVirtualClusterID=${clusterId}`,
    `-agentKey=${agentKey}`,
    `-databaseURL=${database}`,
    `-consolePort=${controlPlanePorts[slot]}`,
    '-controlPlaneHost=127.0.0.1',
  ]);
const startAgent = (slot: number) =>
  startWeir([
    'agent',
    zone,
    `-defaultVirtualClusterID=${clusterId}`,
    `-agentKey=${agentKey}`,
    `-metadataURL=http://127.0.0.1:${controlPlanePorts[0]}`,
    `-bucketURL=file://${join(scratch, 'bucket')}`,
    '-discoveryKafkaHostnameOverride=127.0.0.1',
    `-kafkaPort=${agentPorts[slot]}`,
    '-httpPort=0',
    '-batchTimeout=50ms',
  ]);

const createTopic = (name: string) =>
  must(join(flags.weir, 'bin/weir'), [
    ...['cli', 'create-topic', '-bootstrap-host=127.0.0.1', `-bootstrap-port=${agentPorts[0]}`],
    ...[`-topic=${name}`, `-partitions=${partitions}`],
  ]);

mkdirSync(join(scratch, 'bucket'));
const controlPlanes = [await startControlPlane(0), await startControlPlane(1)];
const agents = await Promise.all(agentPorts.map((_, slot) => startAgent(slot)));
const broker = `127.0.0.1:${agentPorts[0]}`;
createTopic(topic);
process.stderr.write(`writing ${loadedCount} records …\n`);
const size = { count: loadedCount, bytes: recordBytes, partitions };
const loaded = await tools.librdkafka({ ...size, brokers: broker, rate: 50_000 });
if (loaded.count !== loadedCount) throw new Error(`only ${loaded.count} records were written`);

if (flags.verifier !== undefined) {
  createTopic('verified');
  await verify([`-produce_msgs=${recordCount}`, `-msg_size=${recordBytes}`, '-max-buffered-records=10000']);
}

let isOver = false;
let kills = 0;
/** Kills the processes in turn and restarts each after a second. */
async function trouble(): Promise<void> {
  if (flags.kill === 'nothing') return;
  const [victims, start] =
    flags.kill === 'leader' ? [controlPlanes, startControlPlane] : [agents, startAgent];
  await pause(3_000);
  for (let slot = 0; !isOver; slot = (slot + 1) % victims.length) {
    victims[slot]!.kill('SIGKILL');
    kills++;
    await pause(1_000);
    victims[slot] = await start(slot);
    await pause(4_500);
  }
}

const writes = { count: writesPerSecond * Math.round(recordCount / rate), bytes: 100, partitions };
const writing = (rate: number) => [
  `-brokers=${brokers}`,
  `-count=${writes.count}`,
  `-rate=${rate}`,
  `-partitions=${partitions}`,
];
const reading = (group: string) => [
  `-brokers=${brokers}`,
  `-group=${group}`,
  `-count=${recordCount}`,
  `-rate=${rate}`,
];
const members = Number(flags.members);
const py = flags.live
  ? { brokers, members, count: loadedCount + writes.count, rate: 1_000_000 }
  : { brokers, members, count: recordCount, rate };
const all: [what: string, start: () => Promise<Outcome>][] = [
  [
    'librdkafka reads, classic group',
    () => tools.librdkafka({ ...py, group: 'py-classic', protocol: 'classic' }),
  ],
  [
    'librdkafka reads, KIP-848 group',
    () => tools.librdkafka({ ...py, group: 'py-next', protocol: 'consumer' }),
  ],
  ['franz-go reads, classic group', () => tools.franz(...reading('go-classic'))],
  ['franz-go reads, KIP-848 group', () => tools.franz('-next', ...reading('go-next'))],
  ['librdkafka writes', () => tools.librdkafka({ ...writes, brokers, rate: writesPerSecond })],
  ['franz-go writes', () => tools.franz(...writing(writesPerSecond))],
];
if (flags.verifier !== undefined)
  all.push(['kgo-verifier reads, group of 4', () => verify(['-consumer_group_readers=4'])]);
const rows = all
  .filter(([what]) => what.startsWith(flags.live ? 'librdkafka' : flags.only))
  .map(([what, start]): [string, Promise<Outcome>] => [what, start()]);
const troubled = trouble();
const seconds = (ms: number | undefined) => (ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`);
process.stdout.write(`killed: ${flags.kill}\n\n`);
process.stdout.write('| client | records | longest without any | longest of a partition | again | took |\n');
process.stdout.write('|---|---|---|---|---|---|\n');
for (const [what, outcome] of rows) {
  const { count, again, tookMs, gapMs, gapOfPartitionMs } = await outcome;
  process.stdout.write(
    `| ${what} | ${count} | ${seconds(gapMs)} | ${seconds(gapOfPartitionMs)} | ${again ?? ''} | ${seconds(tookMs)} |\n`,
  );
}
isOver = true;
process.stdout.write(`\n${kills} kills\n`);
await troubled;
process.exit(0);
