import { parseArgs } from 'node:util';
import { type RowName, rowNames } from './bars.ts';
import type { Sizes } from './rows.ts';

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
const quickRows: readonly RowName[] = ['start', 'steady', 'full-1', 'consume'];

export const usage = `npm run bench:kafka -- [flags]
  --quick         some rows, one short run each: under five minutes, for a first impression
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
  let values: ReturnType<typeof parse>;
  try {
    values = parse(argv);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (values.help) return 'help';
  if (values.list) return 'list';
  if (values.page) return 'page';
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs >= 1 && runs <= runsMax)) {
    return { problem: `--runs takes a number from 1 to ${runsMax}` };
  }
  const words = values.rows?.split(',');
  if (words?.includes('')) return { problem: '--rows takes words with a comma between them' };
  const unmatched = words?.find((word) => !rowNames.some((name) => name.includes(word)));
  if (unmatched !== undefined) {
    return { problem: `no row has ${unmatched} in its name; there are ${rowNames.join(', ')}` };
  }
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
