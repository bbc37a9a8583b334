import { parseArgs } from 'node:util';
import { seededRandom, systemClock, systemRandom } from '@weir/core';
import { type ApiName, apis } from '@weir/wire';
import { missingApacheKafka } from '../connectors/apache-kafka.ts';
import { type AllowedDifference, allowedDifferences, isAllowed } from './allowed-differences.ts';
import { dialogues } from './dialogues/index.ts';
import { commonVersions, Pair, type SeenDifference, type Sides } from './pair.ts';
import { askPlainly, sendDamaged } from './plain-requests.ts';
import { askAtRandom } from './random-requests.ts';
import { withBothServers } from './servers.ts';

/**
 * `npm run test:differential`: sends the same requests to Apache Kafka 4.3 and to Weir, and prints where the answers
 * differ in a way that allowed-differences.ts does not have. Every request of the protocol that both serve, in every
 * version: plain ones, damaged ones, dialogues that mean something, and random sequences from a seed that it prints.
 *
 * `-- --only Metadata,Fetch` takes these requests only (`--only none`: random sequences alone), `--seed 7` repeats the
 * random sequences, `--sequences 100` draws more of them, `--rows` prints what each row of the table has allowed,
 * `--verbose` says what is going on.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    sequences: { type: 'string' },
    only: { type: 'string' },
    rows: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
});
const seed = Number(values.seed ?? systemRandom.below(2 ** 31));
const sequences = Number(values.sequences ?? 20);
const only = values.only === 'none' ? [] : values.only?.split(',');
const isKnownApi = only === undefined || only.every((name) => name in apis);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(sequences) || sequences < 0 || !isKnownApi) {
  process.stderr.write(
    'test:differential: --seed and --sequences take whole numbers, and --only names of requests\n',
  );
  process.exit(2);
}

interface Work {
  readonly name: string;
  readonly api: ApiName;
  run(pair: Pair): Promise<void>;
}

const plainWork = (Object.keys(apis) as ApiName[]).flatMap((api): Work[] => [
  { name: 'a plain request', api, run: (pair) => askPlainly(pair, api) },
  { name: 'a damaged request', api, run: (pair) => sendDamaged(pair, api) },
]);
const work = [...plainWork, ...dialogues].filter(({ api }) => only === undefined || only.includes(api));

/** Rows of the table that some answer needed, and what they have allowed. */
const needed = new Map<AllowedDifference, Set<string>>();

function rowFor(seen: SeenDifference): AllowedDifference | undefined {
  return allowedDifferences.find((row) => isAllowed(row, seen.api, seen.dialogue, seen));
}

async function hold(sides: Sides) {
  let held = 0;
  const converse = async ({ name, api, run }: Work, version: number) => {
    const topic = {
      dialogue: name,
      prefix: `d${++held}`,
      epochMs: systemClock.nowMs(),
      ...{ api, version },
    };
    const pair = new Pair(sides, topic, (seen) => rowFor(seen) !== undefined);
    try {
      await run(pair);
    } catch (error) {
      endedEarly++;
      print(`${name} (${api} v${version}) ended early: ${String(error)}`);
    }
    // The next dialogue has its own connections: this one may have left an answer behind, or half a login.
    for (const side of [sides.apache, sides.weir]) side.close();
    for (const seen of pair.seen) {
      const row = rowFor(seen);
      if (row === undefined) printNews(seen);
      else needed.set(row, (needed.get(row) ?? new Set()).add(summaryOf(seen)));
    }
  };
  for (const one of work) {
    if (values.verbose) process.stderr.write(`${one.api}: ${one.name}\n`);
    for (const version of commonVersions(sides, apis[one.api])) await converse(one, version);
  }
  if (only === undefined || only.length === 0) {
    for (let n = 0; n < sequences; n++) {
      const random = seededRandom(seed + n);
      const name = `random sequence of seed ${seed + n}`;
      await converse({ name, api: 'ApiVersions', run: (pair) => askAtRandom(pair, random) }, 4);
    }
  }
  return held;
}

/** Dialogues that could not go on, as when a topic was not created. */
let endedEarly = 0;

/** Findings so far. What is the same in another version, or of another element, is not printed again. */
const findings = new Set<string>();

function printNews(seen: SeenDifference): void {
  const { api, version, path, at, dialogue, request, apache, weir } = seen;
  // Names of the dialogue stand for those of any.
  const key = [api, path, apache, weir].join('\n').replaceAll(/\bd\d+-/g, '');
  if (findings.has(key)) return;
  findings.add(key);
  print(`${api} v${version}: ${at === '' ? path || 'the answer' : `${path} of ${at}`}`);
  print(`  in      ${dialogue}`);
  print(`  Request ${request}`);
  print(`  Apache  ${apache}`);
  print(`  Weir    ${weir}`);
}

const summaryCharsMax = 200;

/** A difference in one line, in which names of any dialogue are the same. */
function summaryOf({ api, path, at, dialogue, apache, weir }: SeenDifference): string {
  const short = (text: string) =>
    text.length > summaryCharsMax ? `${text.slice(0, summaryCharsMax)}…` : text;
  const line = `${api} ${path} of '${at}' in ${dialogue}: ${short(apache)} / ${short(weir)}`;
  return line.replaceAll(/\bd\d+-/g, '').replaceAll(/seed \d+, request \d+/g, 'a seed');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const missing = missingApacheKafka();
if (missing === 'there is no Java') {
  process.stderr.write(`test:differential: ${missing}\n`);
  process.exit(2);
}
print(`seed ${seed}`);
const held = await withBothServers(hold);
const unneeded =
  only === undefined ? allowedDifferences.filter((row) => !needed.has(row) && row.isRare !== true) : [];
for (const row of unneeded) print(`no answer needs the row ${row.api} ${row.path}: ${row.departure}`);
if (values.rows) {
  for (const [row, seen] of needed) {
    print(`${row.api} ${row.path}: ${row.departure}`);
    for (const line of [...seen].sort()) print(`  ${line}`);
  }
}
print(`${held} dialogues, ${findings.size} new differences, ${needed.size} rows of allowed ones`);
process.exitCode = findings.size + endedEarly + unneeded.length === 0 ? 0 : 1;
