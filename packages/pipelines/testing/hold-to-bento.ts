/**
 * Compares pipelines with Bento itself: `npm run test:pipelines -- --seed 7 --cases 500`. Go builds the small program
 * in `bento/` first, which takes some minutes of processor time.
 */
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { seededRandom } from '@weir/core';
import { componentOf } from '../src/component/component-spec.ts';
import { Message } from '../src/component/message.ts';
import { readConfiguration } from '../src/config/read-configuration.ts';
import { Stream } from '../src/engine/stream.ts';
import { bentoProgram } from './bento-program.ts';
import { type GeneratedPipeline, generatedPipeline } from './generate-pipelines.ts';
import { lintedConfigurations } from './linted-configurations.ts';
import { Collected, catalogueWith, testServices } from './run-pipeline.ts';

interface ComparedMessage {
  readonly content: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

interface Answer {
  readonly refused?: string;
  readonly lints: readonly string[] | null;
  readonly batches: readonly (readonly ComparedMessage[])[] | null;
}

function answersOf(program: string, cases: readonly unknown[]): Answer[] {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { stdout, status } = spawnSync(program, {
    input,
    maxBuffer: 2 ** 30,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (status !== 0) throw new Error('the program that runs Bento failed');
  return stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

async function ownAnswer({ processors, resources, batches }: GeneratedPipeline): Promise<Answer> {
  const collected = new Collected();
  let at = 0;
  const given = componentOf('input', {
    name: 'given',
    about: 'The batches of a case.',
    fields: {},
    open: () => ({
      async read() {
        const texts = batches[at++];
        return texts && { batch: texts.map((text) => Message.of(text)), settle() {} };
      },
      close: async () => {},
    }),
  });
  const catalogue = catalogueWith(collected.spec, given);
  const yaml = JSON.stringify({
    input: { given: {} },
    pipeline: { threads: 1, processors: processors.map((text) => JSON.parse(text) as unknown) },
    output: { collect: {} },
    ...(JSON.parse(resources) as object),
  });
  const references = { variable: () => undefined, secrets: {} };
  const { config, problems } = readConfiguration(yaml, { catalogue, isLocal: true, references });
  if (config === undefined) return { refused: problems[0]?.message ?? '', lints: null, batches: null };
  await new Stream(config, testServices(), catalogue).run(new AbortController().signal);
  const written = collected.batches.map((batch) =>
    batch.map(({ content, metadata, error }) => ({
      content: content.toString(),
      meta: Object.fromEntries(metadata),
      failed: error !== undefined,
    })),
  );
  return { lints: null, batches: written };
}

/** JSON by its value. Bento writes batches without messages, and sorts keys. */
function comparable(batches: Answer['batches']): unknown {
  return (batches ?? [])
    .filter(({ length }) => length > 0)
    .map((batch) => batch.map(({ content, meta, failed }) => ({ content: parsed(content), meta, failed })));
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // Documents within other texts have their keys in another order.
    return [...content].sort().join('');
  }
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, cases: { type: 'string', default: '300' } },
});
const random = seededRandom(Number(values.seed));
const cases = Array.from({ length: Number(values.cases) }, () => generatedPipeline(random));
const program = bentoProgram();
const [lints, runs] = [
  answersOf(
    program,
    lintedConfigurations.map(({ yaml }) => ({ lint: yaml })),
  ),
  answersOf(program, cases),
];

let differences = 0;
function report(what: string, own: unknown, bento: unknown): void {
  differences++;
  if (differences <= 20)
    process.stdout.write(`${what}\n  own:   ${JSON.stringify(own)}\n  Bento: ${JSON.stringify(bento)}\n`);
}

for (const [at, { yaml, differs }] of lintedConfigurations.entries()) {
  const { problems } = readConfiguration(yaml, { catalogue: catalogueWith(), isLocal: true });
  const bento = lints[at]!;
  const isRefused = bento.refused !== undefined || (bento.lints ?? []).length > 0;
  if (problems.length > 0 !== isRefused && differs === undefined) report(yaml, problems, bento);
}
for (const [at, one] of cases.entries()) {
  const bento = runs[at]!;
  const own = await ownAnswer(one);
  const isSame =
    (own.refused === undefined) === (bento.refused === undefined) &&
    isDeepStrictEqual(comparable(own.batches), comparable(bento.batches));
  if (!isSame) report(JSON.stringify(one), own, bento);
}
process.stdout.write(
  `${cases.length} pipelines and ${lintedConfigurations.length} configurations, ${differences} differ\n`,
);
process.exitCode = differences === 0 ? 0 : 1;
