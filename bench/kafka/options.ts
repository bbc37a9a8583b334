import { parseArgs } from 'node:util';
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
  let values: ReturnType<typeof parse>;
  try {
    values = parse(argv);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (values.help) return 'help';
  if (values.list) return 'list';
  const isQuick = values.quick;
  const sizes = isQuick ? quickSizes : fullSizes;
  const runs = count(values.runs, runsMax);
  if (runs === 'bad') return { problem: `--runs takes a number from 1 to ${runsMax}` };
  const megabytes = count(values.megabytes, megabytesMax);
  if (megabytes === 'bad') return { problem: `--megabytes takes a number from 1 to ${megabytesMax}` };
  const words = values.rows?.split(',');
  if (words?.includes('')) return { problem: '--rows takes words with a comma between them' };
  const unmatched = words?.find((word) => !rows.some(({ name }) => name.includes(word)));
  if (unmatched !== undefined) {
    return { problem: `no row has ${unmatched} in its name; there are ${namesOf(rows)}` };
  }
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

function count(text: string | undefined, max: number): number | undefined | 'bad' {
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= max ? value : 'bad';
}
