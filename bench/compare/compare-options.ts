import { parseArgs } from 'node:util';
import { type Environment, systemEnvironment } from '@weir/core';
import { readCount, readRowOptions } from '../row-options.ts';
import { type RowName, rowNames } from './bars.ts';
import type { Choices, Sizes } from './load-row.ts';
import { type ThreadCount, threadCounts } from './side-names.ts';

export interface CompareOptions extends Choices {
  readonly isQuick: boolean;
  /** Whether the results go to the file of the page, and the page is written. */
  readonly writesPage: boolean;
  readonly rows: readonly RowName[];
  readonly sizes: Sizes;
  readonly isColdClient: boolean;
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
  lightFullBytes: 1.2e9,
  fetchedBytes: 1.2e9,
  storeSeconds: 10,
  storeBytes: 600e6,
  idleSeconds: 10,
  settleSecondsMax: 20,
  hasKafkaFlush: true,
  hasTansuInMemory: true,
  watchesGc: true,
};

/** All rows in at most twelve minutes of two idle cores: two short runs each, and servers that are nearly as warm. */
export const quickSizes: Sizes = {
  ...fullSizes,
  runs: 2,
  warmUpBytes: 1e9,
  warmUpBytesMax: 2e9,
  rowWarmUpsMax: 2,
  rowWarmUpRecords: 60_000,
  steadySeconds: 4,
  fullRecords: 300_000,
  defaultsRecords: 60_000,
  lightFullBytes: 6e8,
  fetchedBytes: 6e8,
  storeSeconds: 3,
  storeBytes: 300e6,
  idleSeconds: 2,
  settleSecondsMax: 5,
  hasKafkaFlush: false,
  // It reads 600 MB in half a minute.
  hasTansuInMemory: false,
  watchesGc: false,
};

const runsMax = 99;
export const usage = `npm run bench:kafka -- [flags]
  --quick             two short runs of each side: at most twelve minutes on two idle cores
  --write             with --quick: the results are those of the page; the full form always does that
  --rows <words>      only rows whose name contains one of the words (comma between them)
  --runs <count>      runs of each side per row, 1 to ${runsMax}
  --threads <counts>  serving threads that are compared, of ${threadCounts.join(',')} (comma between them)
  --tansu <file>      this program takes part, on S3 and in the full form in memory; so does that of the variable TANSU
  --cold-client       a new client process for each run, as Apache's scripts start it
  --page              writes the page from the results that there are, and measures nothing
  --list              names the rows
`;

/** Parses the command line: the options, another thing to do, or an error message. */
export function readCompareOptions(
  argv: readonly string[],
  { TANSU }: Environment = systemEnvironment,
): CompareOptions | 'help' | 'list' | 'page' | { readonly problem: string } {
  const read = readRowOptions(() => parse(argv), rowNames);
  if (typeof read === 'string' || 'problem' in read) return read;
  const { values, words } = read;
  if (values.page) return 'page';
  const runs = readCount(values.runs, runsMax);
  if (runs === 'bad') return { problem: `--runs takes a number from 1 to ${runsMax}` };
  const threads = readThreads(values.threads);
  if (threads === undefined) return { problem: `--threads takes some of ${threadCounts.join(',')}` };
  return {
    isQuick: values.quick,
    writesPage: values.write || !values.quick,
    rows: rowNames.filter((name) => words === undefined || words.some((word) => name.includes(word))),
    sizes: { ...(values.quick ? quickSizes : fullSizes), ...(runs === undefined ? {} : { runs }) },
    isColdClient: values['cold-client'],
    threads,
    tansu: values.tansu ?? (TANSU === '' ? undefined : TANSU),
  };
}

function readThreads(text: string | undefined): readonly ThreadCount[] | undefined {
  if (text === undefined) return threadCounts;
  const wanted = text.split(',');
  const found = threadCounts.filter((count) => wanted.includes(String(count)));
  return found.length === new Set(wanted).size ? found : undefined;
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
      threads: { type: 'string' },
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}
