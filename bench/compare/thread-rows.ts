import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Broker } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { startLocal, startPlayground } from '../kafka/weir.ts';
import type { ThreadRowName } from './bars.ts';
import { lightLatencies, lightValues, runLight, warmUpLight } from './light-load.ts';
import { allRuns, type Choices, type LoadRow, type StartedSides } from './load-row.ts';
import { measuredRun } from './measure.ts';
import { type SideId, type ThreadCount, threadCounts } from './side-names.ts';
import type { Side } from './sides.ts';

/** The flag of `weir local` and `weir playground` for the number of threads that serve clients. */
const threadsFlag = '-servingThreads';

const partitions = 16;
/** So many connections that each of eight threads has some. */
const flags = { batches: 2, records: 128, connections: 32, 'in-flight': 2 };
const sideOf = (threads: ThreadCount): SideId => `threads-${threads}`;

/** Who runs where, so that clients take nothing from the servers whose threads are compared. */
interface CorePlan {
  /** As `taskset -c` takes them. */
  readonly clientCores: string;
  readonly serverCores: string;
  /** The counts that have a core for each thread. */
  readonly shown: readonly ThreadCount[];
  readonly notes: readonly string[];
}

/** The light client takes less than half a core for each thread that is busy, and a quarter of the cores is enough. */
export function planCores(cores: readonly number[], wanted: readonly ThreadCount[]): CorePlan {
  const clients = Math.max(1, Math.floor(cores.length / 4));
  const [forClients, forServers] = [cores.slice(0, clients), cores.slice(clients)];
  const isShown = (threads: ThreadCount) => threads <= forServers.length;
  return {
    clientCores: forClients.join(','),
    serverCores: forServers.join(','),
    shown: wanted.filter(isShown),
    notes: [
      `The machine has ${count(cores.length, 'core')}. Clients run on ${named(forClients)}, servers on ${named(forServers)}.`,
      ...wanted
        .filter((threads) => !isShown(threads))
        .map(
          (threads) => `${count(threads, 'thread')}: not measured; it needs as many cores free of clients.`,
        ),
    ],
  };
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
const named = (cores: readonly number[]) =>
  cores.length === 0 ? 'none' : `core${cores.length === 1 ? '' : 's'} ${cores.join(', ')}`;

/** The cores that this process may use, by number: a container may have some of those of its machine. */
function allowedCores(): number[] {
  try {
    const [, list = ''] =
      /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return parseCores(list);
  } catch {
    return Array.from({ length: availableParallelism() }, (_, core) => core);
  }
}

/** Reads a list as the system prints it: `0-3,8`. */
export function parseCores(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

type StartWeir = (
  lifetime: Lifetime,
  options: { readonly profileFolder: undefined; readonly flags: readonly string[]; readonly cores: string },
) => Promise<Broker>;

async function startThreads(
  lifetime: Lifetime,
  { threads: wanted }: Choices,
  startWeir: StartWeir,
): Promise<StartedSides> {
  const { clientCores, serverCores, shown, notes } = planCores(allowedCores(), wanted);
  const sides: Side[] = [];
  for (const threads of shown) {
    const options = { profileFolder: undefined, flags: [threadsFlag, String(threads)], cores: serverCores };
    const broker = await startWeir(lifetime, options).catch((error: Error) => {
      throw error.message.includes(`${threadsFlag}: unknown flag`) ? new Error(unknownFlag) : error;
    });
    sides.push({ id: sideOf(threads), broker, topicConfigs: {}, clientCores });
  }
  return { sides, notes };
}

const unknownFlag = `this Weir has no flag ${threadsFlag}, so that its serving threads cannot be counted; measure a commit that has it`;

function threadRow(name: ThreadRowName, where: string, startWeir: StartWeir): LoadRow {
  return {
    name,
    title: `light client: full speed ${where} by serving threads, 16 partitions, requests of 2 x 128 KiB, 32 connections`,
    sides: threadCounts.map(sideOf),
    partitions,
    start: (lifetime, choices) => startThreads(lifetime, choices, startWeir),
    bytesPerSide: (sizes) => sizes.rowWarmUpRecords * 1024 + allRuns(sizes) * sizes.lightFullBytes,
    async prepare(bench, side, topic, { rowWarmUpRecords }) {
      await warmUpLight(bench, side, topic, partitions);
      await runLight(bench, side, 'produce', topic, partitions, { ...flags, bytes: rowWarmUpRecords * 1024 });
    },
    run: (bench, side, topic, sizes) =>
      measuredRun(bench, side, async () => {
        const work = { ...flags, bytes: sizes.lightFullBytes };
        const summary = await runLight(bench, side, 'produce', topic, partitions, work);
        return { bytes: summary.bytes, values: { ...lightValues(summary), ...lightLatencies(summary) } };
      }),
  };
}

export const threadRows: readonly LoadRow[] = [
  threadRow('threads-disk', 'on disk', startPlayground),
  threadRow('threads-memory', 'in memory', startLocal),
];
