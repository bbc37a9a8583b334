import { parseArgs } from 'node:util';
import { readCount, readRowOptions } from '../row-options.ts';
import { type RowName, rowNames } from './bars.ts';
import type { Sizes } from './load-row.ts';

export interface CompareOptions {
  readonly isQuick: boolean;
  readonly rows: readonly RowName[];
  readonly sizes: Sizes;
  readonly isColdClient: boolean;
  /** The program tansu, if it takes part. */
  readonly tansu?: string | undefined;
}

export const fullSizes: Sizes = {
  runs: 5,
  warmUpBytes: 2e9,
  warmUpBytesMax: 6e9,
  warmUpSecondsMax: 300,
  rowWarmUpRecords: 200_000,
  rowWarmUpsMax: 5,
  steadySeconds: 10,
  fullRecords: 800_000,
  defaultsRecords: 300_000,
  idleSeconds: 10,
  watchesGc: true,
};

/** For a first impression; as warm as the full form. */
export const quickSizes: Sizes = {
  ...fullSizes,
  runs: 1,
  warmUpBytesMax: 3e9,
  rowWarmUpsMax: 2,
  rowWarmUpRecords: 60_000,
  steadySeconds: 8,
  fullRecords: 400_000,
  defaultsRecords: 100_000,
  idleSeconds: 3,
  watchesGc: false,
};

const runsMax = 99;
const quickRows: readonly RowName[] = [
  'start',
  'steady',
  'full-1',
  'consume',
  'light-steady',
  'light-full',
  'light-small',
  'light-fetch-1',
  'light-fetch-16',
];

export const usage = `npm run bench:kafka -- [flags]
  --quick         some rows, one short run each: under ten minutes, for a first impression
  --rows <words>  only rows whose name contains one of the words (comma between them)
  --runs <count>  runs of each side per row, 1 to ${runsMax}
  --cold-client   a new client process for each run, as Apache's scripts start it
  --tansu <file>  this program takes part in some rows, with its records in memory
  --page          writes the page from the results that there are, and measures nothing
  --list          names the rows
`;

/** Parses the command line: the options, another thing to do, or an error message. */
export function readCompareOptions(
  argv: readonly string[],
): CompareOptions | 'help' | 'list' | 'page' | { readonly problem: string } {
  const read = readRowOptions(() => parse(argv), rowNames);
  if (typeof read === 'string' || 'problem' in read) return read;
  const { values, words } = read;
  if (values.page) return 'page';
  const runs = readCount(values.runs, runsMax);
  if (runs === 'bad') return { problem: `--runs takes a number from 1 to ${runsMax}` };
  const offered = words === undefined && values.quick ? quickRows : rowNames;
  return {
    isQuick: values.quick,
    rows: offered.filter((name) => words === undefined || words.some((word) => name.includes(word))),
    sizes: { ...(values.quick ? quickSizes : fullSizes), ...(runs === undefined ? {} : { runs }) },
    isColdClient: values['cold-client'],
    tansu: values.tansu,
  };
}

function parse(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      runs: { type: 'string' },
      'cold-client': { type: 'boolean', default: false },
      tansu: { type: 'string' },
      page: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}
