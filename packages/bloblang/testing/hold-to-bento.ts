/**
 * Compares generated mappings with Bento itself: `npm run test:bloblang -- --seed 7 --cases 5000`. Go builds the small
 * program in `bento/` first, which takes some minutes of processor time.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemRandom } from '@weir/core';
import { BloblangError, contentOf, MappingFailure, parseMapping } from '../src/index.ts';
import { type GeneratedCase, generatedCases } from './generate-mappings.ts';

/** What became of a message, in a form that can be compared. */
type Outcome =
  | { readonly refused: string }
  | { readonly failed: string }
  | { readonly deleted: true }
  | { readonly content: string };

interface BentoAnswer {
  readonly parse_error?: string;
  readonly error?: string;
  readonly deleted?: boolean;
  readonly raw: string;
}

function bentoProgram(): string {
  const folder = join(import.meta.dirname, 'bento');
  const built = join(import.meta.dirname, '../../../node_modules/.cache/weir/bento-mapper');
  mkdirSync(join(built, '..'), { recursive: true });
  const result = spawnSync('go', ['build', '-o', built, '.'], { cwd: folder, stdio: 'inherit' });
  if (result.status !== 0) throw new Error('go could not build the program that runs Bento');
  return built;
}

function answersOf(program: string, cases: readonly GeneratedCase[]): BentoAnswer[] {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { stdout, status } = spawnSync(program, { input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error('the program that runs Bento failed');
  return stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BentoAnswer);
}

function bentoOutcome({ parse_error, error, deleted, raw }: BentoAnswer): Outcome {
  if (parse_error !== undefined) return { refused: parse_error };
  if (error !== undefined) return { failed: error };
  return deleted ? { deleted } : { content: raw };
}

function ownOutcome({ mapping, input }: GeneratedCase): Outcome {
  try {
    const result = parseMapping(mapping).apply({ content: input });
    if (result.kind === 'deleted') return { deleted: true };
    return { content: result.kind === 'unchanged' ? input : contentOf(result.value).toString() };
  } catch (error) {
    if (error instanceof BloblangError) return { refused: error.described };
    if (error instanceof MappingFailure) return { failed: error.message };
    return { failed: String(error) };
  }
}

/** JSON with keys in order and numbers by their value. */
function canonical(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content, (_key, value: unknown) => ordered(value)));
  } catch {
    return content;
  }
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isSame(own: Outcome, bento: Outcome): boolean {
  if ('content' in own && 'content' in bento) return canonical(own.content) === canonical(bento.content);
  return Object.keys(own)[0] === Object.keys(bento)[0];
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    cases: { type: 'string', default: '5000' },
    program: { type: 'string' },
  },
});
const seed = values.seed === undefined ? systemRandom.below(2 ** 31) : Number(values.seed);
const cases = generatedCases(seed, Number(values.cases));
const answers = answersOf(values.program ?? bentoProgram(), cases);
let differences = 0;
cases.forEach((one, index) => {
  const [own, bento] = [ownOutcome(one), bentoOutcome(answers[index]!)];
  if (isSame(own, bento)) return;
  differences++;
  print(`--- ${one.mapping}${one.input}\nown   ${JSON.stringify(own)}\nbento ${JSON.stringify(bento)}`);
});
print(`seed ${seed}: ${cases.length} mappings, ${differences} differ`);
process.exitCode = differences === 0 ? 0 : 1;
