import { parseArgs } from 'node:util';
import { readCount, readRowOptions } from '../row-options.ts';
import type { BenchRow, Sizes } from './bench-run.ts';

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly rows: readonly BenchRow[];
  readonly sizes: Sizes;
  readonly writesResults: boolean;
  readonly isWeirAlone: boolean;
  readonly profileFolder: string | undefined;
}

const fullSizes: Sizes = {
  runs: 3,
  records: 1_000_000,
  warmUpRecords: 400_000,
  steadySeconds: 30,
  steadyWarmUpSeconds: 10,
  partitions: 100_000,
};

/** Smoke test: too little work for conclusions. */
const quickSizes: Sizes = {
  runs: 1,
  records: 150_000,
  warmUpRecords: 50_000,
  steadySeconds: 6,
  steadyWarmUpSeconds: 3,
  partitions: 10_000,
};

const runsMax = 99;
const megabytesMax = 100_000;

export const usage = `npm run bench:scenarios -- [flags]
  --quick             few and small measurements: a minute or two, for a first impression
  --rows <words>      only rows whose name contains one of the words (comma between them)
  --runs <count>      measurements of each side per row, 1 to ${runsMax}
  --megabytes <size>  how much is written or read per measurement of throughput, 1 to ${megabytesMax}
  --weir-alone        without Apache Kafka beside it
  --write             puts the results into bench/RESULTS.md
  --cpu-prof <folder> keeps a CPU profile of every process of Weir there (slows it down)
  --list              names the rows
`;

/** Parses the command line: the options, `list` or `help`, or an error message. */
export function readOptions(
  argv: readonly string[],
  rows: readonly BenchRow[],
): BenchOptions | 'help' | 'list' | { readonly problem: string } {
  const read = readRowOptions(
    () => parse(argv),
    rows.map(({ name }) => name),
  );
  if (typeof read === 'string' || 'problem' in read) return read;
  const { values, words } = read;
  const isQuick = values.quick;
  const sizes = isQuick ? quickSizes : fullSizes;
  const runs = readCount(values.runs, runsMax);
  if (runs === 'bad') return { problem: `--runs takes a number from 1 to ${runsMax}` };
  const megabytes = readCount(values.megabytes, megabytesMax);
  if (megabytes === 'bad') return { problem: `--megabytes takes a number from 1 to ${megabytesMax}` };
  const chosen = rows.filter(({ name, isQuick: runsQuickly }) =>
    words === undefined ? !isQuick || runsQuickly : words.some((word) => name.includes(word)),
  );
  return {
    isQuick,
    rows: chosen,
    sizes: {
      ...sizes,
      ...(runs === undefined ? {} : { runs }),
      ...(megabytes === undefined ? {} : { records: Math.ceil((megabytes * 1e6) / 1024) }),
    },
    writesResults: values.write,
    isWeirAlone: values['weir-alone'],
    profileFolder: values['cpu-prof'],
  };
}

export function namesOf(rows: readonly BenchRow[]): string {
  return rows.map(({ name }) => name).join(', ');
}

function parse(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      runs: { type: 'string' },
      megabytes: { type: 'string' },
      'weir-alone': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      'cpu-prof': { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}
