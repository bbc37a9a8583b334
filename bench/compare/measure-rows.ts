import type { RowName, RunsBySide } from './bars.ts';
import type { LoadRow } from './load-row.ts';
import type { Bench } from './measure.ts';
import type { RunRecord } from './metrics.ts';
import { loadRows, measureStart, startRow } from './rows.ts';
import { type SideId, sideNames } from './side-names.ts';
import { type Side, settle } from './sides.ts';
import { blaming, compilesDuring, type Stage, startSides } from './stage.ts';

interface Comparison extends Stage {
  readonly rows: readonly RowName[];
}

type OnRow = (name: RowName, title: string, runs: RunsBySide) => void;

/** Measures the rows and reports each as it is finished. Returns whether all of them could be measured. */
export async function measureRows(comparison: Comparison, onRow: OnRow): Promise<boolean> {
  const { rows, tansu, print } = comparison;
  const withTansu = (row: LoadRow): LoadRow =>
    row.hasTansu && tansu !== undefined ? { ...row, sides: [...row.sides, 'tansu'] } : row;
  let isWhole = true;
  // A row that fails must not stop the others.
  const guarded = async (name: RowName, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      print(`bench:kafka: ${name} failed: ${error instanceof Error ? error.stack : error}`);
      isWhole = false;
    }
  };
  // First, while no other server is there.
  if (rows.includes(startRow.name)) await guarded(startRow.name, () => measureStarts(comparison, onRow));
  const chosen = loadRows.filter(({ name }) => rows.includes(name)).map(withTansu);
  if (chosen.length === 0) return isWhole;
  const wanted = new Set(chosen.flatMap((row) => row.sides));
  const { bench, sides } = await startSides(comparison, [...wanted]);
  for (const row of chosen) await guarded(row.name, () => measureLoad(comparison, bench, sides, row, onRow));
  for (const broker of bench.brokers) await broker.stop();
  return isWhole;
}

async function measureStarts({ classPath, sizes, print }: Comparison, onRow: OnRow): Promise<void> {
  const { name, title, sides } = startRow;
  print(`${title} …`);
  // Not counted: it loads our own client, and the files of the server from disk.
  for (const side of sides) await measureStart(side, { classPath }, { ...sizes, idleSeconds: 0 });
  const runs = await inTurns(sides, sizes.runs, (side) => measureStart(side, { classPath }, sizes), print);
  onRow(name, title, runs);
}

async function measureLoad(
  { load, sizes, print }: Comparison,
  bench: Bench,
  all: ReadonlyMap<SideId, Side>,
  row: LoadRow,
  onRow: OnRow,
): Promise<void> {
  print(`${row.title} …`);
  // Two sides may share a server.
  const topicOf = (id: SideId) => `${row.name}-${id}`;
  for (const id of row.sides) {
    const side = all.get(id)!;
    await load.createTopics(side.broker.servers, [topicOf(id)], row.partitions, side.topicConfigs);
    const prepare = () => blaming(side, () => row.prepare(bench, side, topicOf(id), sizes));
    for (let count = 0; count < sizes.rowWarmUpsMax; count++) {
      if (!(await compilesDuring(side.broker, prepare))) break;
    }
  }
  await settle(bench.brokers);
  const runs = await inTurns(
    row.sides,
    row.isOnce ? 1 : sizes.runs,
    (id, turn) => blaming(all.get(id)!, () => row.run(bench, all.get(id)!, topicOf(id), sizes, turn)),
    print,
  );
  const gc = sizes.watchesGc ? await gcRuns() : {};
  onRow(row.name, row.title, withRuns(runs, gc));
  for (const id of row.sides) await load.deleteTopics(all.get(id)!.broker.servers, [topicOf(id)]);
  await settle(bench.brokers);

  /**
   * Another run, of which only the time in the collector counts. It stops the main thread, and only the process itself
   * knows for how long; asking slows it down.
   */
  async function gcRuns(): Promise<RunsBySide> {
    const found: Partial<Record<SideId, RunRecord[]>> = {};
    for (const id of row.sides.filter((side) => side === 'playground' || side === 'local')) {
      const side = all.get(id)!;
      const watching = { ...bench, watchesGc: true };
      const turn = row.isOnce ? 1 : sizes.runs;
      try {
        const { values } = await row.run(watching, side, topicOf(id), sizes, turn);
        const { gcSecondsPerGb } = values;
        if (gcSecondsPerGb !== undefined) found[id] = [{ values: { gcSecondsPerGb } }];
      } catch (error) {
        // The other results of the row count without it.
        print(`bench:kafka: ${row.name} has no time of the collector of ${sideNames[id]}: ${error}`);
      }
    }
    return found;
  }
}

function withRuns(runs: RunsBySide, more: RunsBySide): RunsBySide {
  return Object.fromEntries(
    Object.entries(runs).map(([side, records]) => [side, [...records, ...(more[side as SideId] ?? [])]]),
  );
}

/**
 * A B C, C B A, A B C: every side has each neighbour as often before it as after it, so that what one leaves to the
 * machine does not always fall to the same other.
 */
async function inTurns(
  sides: readonly SideId[],
  turns: number,
  run: (side: SideId, turn: number) => Promise<RunRecord>,
  print: (text: string) => void,
): Promise<RunsBySide> {
  const runs: Partial<Record<SideId, RunRecord[]>> = {};
  for (let turn = 0; turn < turns; turn++) {
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      const record = await run(side, turn);
      runs[side] = [...(runs[side] ?? []), record];
      print(`  ${sideNames[side]}: ${describe(record)}`);
    }
  }
  return runs;
}

function describe({ values }: RunRecord): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value.toPrecision(4)}`)
    .join(', ');
}
