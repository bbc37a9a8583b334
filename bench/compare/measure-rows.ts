import { type Clock, systemClock } from '@weir/core';
import { Lifetime } from '../kafka/lifetime.ts';
import type { RowName, RunsBySide } from './bars.ts';
import type { Choices, LoadRow } from './load-row.ts';
import type { Bench } from './measure.ts';
import type { RunRecord } from './metrics.ts';
import { loadRows, measureStart, startRow } from './rows.ts';
import { type SideId, sideNames } from './side-names.ts';
import type { Side } from './sides.ts';
import { blaming, compilesDuring, newBench, SharedServers, type Stage } from './stage.ts';

interface Comparison extends Stage, Choices {
  readonly rows: readonly RowName[];
}

type OnRow = (name: RowName, title: string, runs: RunsBySide, notes: readonly string[]) => void;

/** Measures the rows and reports each as it is finished. Returns whether all of them could be measured. */
export async function measureRows(
  comparison: Comparison,
  onRow: OnRow,
  clock: Clock = systemClock,
): Promise<boolean> {
  const { rows, tansu, sizes, print } = comparison;
  const withSides = (row: LoadRow): LoadRow => ({
    ...row,
    sides: [
      ...row.sides.filter((side) => side !== 'kafka-flush' || sizes.hasKafkaFlush),
      ...(row.hasTansu && tansu !== undefined && sizes.hasTansuInMemory ? (['tansu'] as const) : []),
    ],
  });
  const startMs = clock.monotonicMs();
  let isWhole = true;
  let begun = 0;
  const report: OnRow = (name, title, runs, notes) => {
    if (notes.some((note) => note.includes(failedMark))) isWhole = false;
    onRow(name, title, runs, notes);
  };
  /** A row that fails is reported as such, and must not stop the others. */
  const guarded = async (
    { name, title }: { readonly name: RowName; readonly title: string },
    work: () => Promise<void>,
  ) => {
    begun++;
    const seconds = Math.round((clock.monotonicMs() - startMs) / 1000);
    const elapsed = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    print(`[${elapsed}] row ${begun} of ${rows.length}, ${name}: ${title} …`);
    try {
      await work();
    } catch (error) {
      print(`bench:kafka: ${name} failed: ${error instanceof Error ? error.stack : error}`);
      report(name, title, {}, [`The row ${failedMark}: ${briefly(error)}.`]);
    }
  };
  // First, while no other server is there.
  if (rows.includes(startRow.name)) await guarded(startRow, () => measureStarts(comparison, report));
  const chosen = loadRows.filter(({ name }) => rows.includes(name)).map(withSides);
  const shared = chosen.filter(({ start }) => start === undefined);
  if (shared.length > 0) {
    await Lifetime.during(async (lifetime) => {
      const wanted = new Set(shared.flatMap((row) => row.sides));
      const servers = await SharedServers.start({ ...comparison, lifetime }, [...wanted]);
      for (const row of shared) {
        await guarded(row, async () => {
          await servers.restartEnded();
          await measureLoad(comparison, servers.bench, servers.sides, row, servers.problems, report);
        });
      }
      await servers.stop();
    });
  }
  for (const row of chosen.filter(({ start }) => start !== undefined)) {
    await guarded(row, () => Lifetime.during((lifetime) => measureAlone(comparison, lifetime, row, report)));
  }
  return isWhole;
}

/** What a note says of everything that should have been measured and was not. */
const failedMark = 'failed';
const briefCharsMax = 300;

/** The first line of an error: what follows is the output of a server. */
function briefly(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/; it said:\n|\n/);
  return line.slice(0, briefCharsMax).replace(/[.:;]+$/, '');
}

async function measureStarts({ classPath, sizes, print }: Comparison, onRow: OnRow): Promise<void> {
  const { name, title, sides } = startRow;
  const run = (side: SideId) => measureStart(side, { classPath }, sizes);
  // Not counted: it loads our own client, and the files of the server from disk.
  for (const side of sides) await measureStart(side, { classPath }, { ...sizes, idleSeconds: 0 });
  const { runs, failures } = await inTurns(sides, sizes.runs, run, print);
  onRow(name, title, runs, failures);
}

/** Measures a row with servers of its own, which end with it. */
async function measureAlone(
  comparison: Comparison,
  lifetime: Lifetime,
  row: LoadRow,
  onRow: OnRow,
): Promise<void> {
  const { sides, notes } = await row.start!(lifetime, comparison);
  const took = sides.map(({ id }) => id);
  const bench = newBench(
    comparison,
    sides.map(({ broker }) => broker),
  );
  const byId = new Map(sides.map((side): [SideId, Side] => [side.id, side]));
  const report: OnRow = (name, title, runs, failures) => onRow(name, title, runs, [...notes, ...failures]);
  if (took.length === 0) report(row.name, row.title, {}, []);
  else await measureLoad(comparison, bench, byId, { ...row, sides: took }, new Map(), report);
  for (const { broker } of sides) await broker.stop();
}

async function measureLoad(
  { load, sizes, print }: Comparison,
  bench: Bench,
  all: ReadonlyMap<SideId, Side>,
  row: LoadRow,
  problems: ReadonlyMap<SideId, string>,
  onRow: OnRow,
): Promise<void> {
  const failures: string[] = [];
  const fail = (id: SideId, error: unknown) => {
    print(`bench:kafka: ${row.name} failed at ${sideNames[id]}: ${error}`);
    failures.push(`${sideNames[id]} ${failedMark}: ${briefly(error)}.`);
  };
  // Two sides may share a server.
  const topicOf = (id: SideId) => `${row.name}-${id}`;
  const ready: SideId[] = [];
  for (const id of row.sides) {
    try {
      const side = all.get(id);
      if (side === undefined) throw new Error(problems.get(id) ?? 'it is not there');
      await load.createTopics(side.broker.servers, [topicOf(id)], row.partitions, side.topicConfigs);
      const prepare = () => blaming(side, () => row.prepare(bench, side, topicOf(id), sizes));
      for (let count = 0; count < sizes.rowWarmUpsMax; count++) {
        if (!(await compilesDuring(side.broker, prepare))) break;
      }
      ready.push(id);
    } catch (error) {
      fail(id, error);
    }
  }
  await bench.settle();
  const found = await inTurns(
    ready,
    row.isOnce ? 1 : sizes.runs,
    (id, turn) => blaming(all.get(id)!, () => row.run(bench, all.get(id)!, topicOf(id), sizes, turn)),
    print,
  );
  const gc = sizes.watchesGc ? await gcRuns() : {};
  onRow(row.name, row.title, withRuns(found.runs, gc), [...failures, ...found.failures]);
  // Servers of this row alone end now.
  if (row.start !== undefined) return;
  for (const id of ready) {
    await load.deleteTopics(all.get(id)!.broker.servers, [topicOf(id)]).catch((error: unknown) => {
      print(`bench:kafka: ${sideNames[id]} did not delete ${topicOf(id)}: ${error}`);
    });
  }
  await bench.settle();

  /**
   * Another run, of which only the time in the collector counts. It stops the main thread, and only the process itself
   * knows for how long; asking slows it down.
   */
  async function gcRuns(): Promise<RunsBySide> {
    const more: Partial<Record<SideId, RunRecord[]>> = {};
    for (const id of ready.filter((side) => side === 'playground' || side === 'local')) {
      const side = all.get(id)!;
      const watching = { ...bench, watchesGc: true };
      const turn = row.isOnce ? 1 : sizes.runs;
      try {
        const { values } = await row.run(watching, side, topicOf(id), sizes, turn);
        const { gcSecondsPerGb } = values;
        if (gcSecondsPerGb !== undefined) more[id] = [{ values: { gcSecondsPerGb } }];
      } catch (error) {
        // The other results of the row count without it.
        print(`bench:kafka: ${row.name} has no time of the collector of ${sideNames[id]}: ${error}`);
      }
    }
    return more;
  }
}

function withRuns(runs: RunsBySide, more: RunsBySide): RunsBySide {
  return Object.fromEntries(
    Object.entries(runs).map(([side, records]) => [side, [...records, ...(more[side as SideId] ?? [])]]),
  );
}

/**
 * A B C, C B A, A B C: every side has each neighbour as often before it as after it, so that what one leaves to the
 * machine does not always fall to the same other. A side that fails keeps the runs that it has and gets no more.
 */
export async function inTurns(
  sides: readonly SideId[],
  turns: number,
  run: (side: SideId, turn: number) => Promise<RunRecord>,
  print: (text: string) => void,
): Promise<{ readonly runs: RunsBySide; readonly failures: readonly string[] }> {
  const runs: Partial<Record<SideId, RunRecord[]>> = {};
  const failures = new Map<SideId, string>();
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? sides : sides.toReversed();
    for (const side of order.filter((id) => !failures.has(id))) {
      try {
        const record = await run(side, turn);
        runs[side] = [...(runs[side] ?? []), record];
        print(`  ${sideNames[side]}: ${describe(record)}`);
      } catch (error) {
        print(`bench:kafka: run ${turn + 1} of ${turns} failed at ${sideNames[side]}: ${error}`);
        const which = `${sideNames[side]} ${failedMark} in run ${turn + 1} of ${turns}`;
        failures.set(side, `${which}: ${briefly(error)}.`);
      }
    }
  }
  return { runs, failures: [...failures.values()] };
}

function describe({ values }: RunRecord): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value.toPrecision(4)}`)
    .join(', ');
}
