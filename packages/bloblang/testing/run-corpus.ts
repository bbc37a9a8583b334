/**
 * Runs a corpus of cases in YAML files against the package: `npm run test:bloblang-corpus -- FOLDER`. The
 * corpus of Bloblang V1 is not part of this repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { parse } from 'yaml';
import {
  BloblangError,
  contentOf,
  type Importer,
  MappingFailure,
  parseMapping,
  type Value,
} from '../src/index.ts';

interface Case {
  readonly name: string;
  readonly mapping: string;
  readonly input?: unknown;
  readonly input_metadata?: Record<string, unknown>;
  readonly output?: unknown;
  readonly output_metadata?: Record<string, unknown>;
  readonly no_output_check?: boolean;
  readonly deleted?: boolean;
  readonly error?: string;
  readonly compile_error?: string;
  readonly skip?: string;
  readonly files?: Record<string, string>;
  readonly cases?: readonly Case[];
}

/** Runs every case below a folder; returns what differs, and how many ran. */
function runCorpus(folder: string): { readonly ran: number; readonly differences: readonly string[] } {
  const differences: string[] = [];
  let ran = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.yaml')) continue;
    const file = parse(readFileSync(join(folder, name), 'utf8'), { intAsBigInt: true }) as {
      readonly tests: readonly Case[];
      readonly files?: Record<string, string>;
    };
    for (const outer of file.tests) {
      for (const inner of outer.cases ?? [outer]) {
        const merged: Case = {
          ...outer,
          ...inner,
          name: inner === outer ? outer.name : `${outer.name}: ${inner.name}`,
        };
        if (merged.skip !== undefined || outer.skip !== undefined) continue;
        ran++;
        const difference = differenceOf(merged, { ...file.files, ...merged.files });
        if (difference !== undefined) differences.push(`${name}: ${merged.name}: ${difference}`);
      }
    }
  }
  return { ran, differences };
}

function importerOf(files: Readonly<Record<string, string>>): Importer {
  return {
    read(path) {
      const name = normalize(path);
      const text = files[path] ?? files[name];
      if (text === undefined) throw new Error(`open ${path}: file does not exist`);
      return { name, text };
    },
  };
}

function differenceOf(test: Case, files: Readonly<Record<string, string>>): string | undefined {
  let mapping: ReturnType<typeof parseMapping>;
  try {
    mapping = parseMapping(test.mapping, { importer: importerOf(files) });
  } catch (error) {
    if (!(error instanceof BloblangError)) throw error;
    if (test.compile_error === undefined) return `refused: ${error.described}`;
    return error.message.includes(test.compile_error)
      ? undefined
      : `expected "${test.compile_error}", refused: ${error.message}`;
  }
  if (test.compile_error !== undefined) return `expected to be refused with "${test.compile_error}"`;
  const input = test.input === undefined ? null : test.input;
  const metadata = new Map(Object.entries(test.input_metadata ?? {}) as [string, Value][]);
  let result: ReturnType<typeof mapping.apply>;
  try {
    result = mapping.apply({ content: printed(input), metadata });
  } catch (error) {
    if (!(error instanceof MappingFailure)) throw error;
    if (test.error === undefined) return `failed: ${error.message}`;
    return error.message.includes(test.error)
      ? undefined
      : `expected "${test.error}", failed: ${error.message}`;
  }
  if (test.error !== undefined)
    return `expected to fail with "${test.error}"; got ${JSON.stringify(result, plain)}`;
  if (test.deleted)
    return result.kind === 'deleted' ? undefined : `expected to be deleted, is ${result.kind}`;
  if (result.kind === 'deleted') return 'is deleted';
  if (test.output_metadata !== undefined) {
    const got = sortedText(Object.fromEntries(result.metadata ?? metadata));
    if (got !== sortedText(test.output_metadata))
      return `metadata ${got}, not ${sortedText(test.output_metadata)}`;
  }
  if (test.no_output_check || !('output' in test)) return undefined;
  const value = result.kind === 'value' ? result.value : input;
  const raw =
    typeof value === 'object' && value !== null && 'buffer' in value
      ? contentOf(value as Value).toString()
      : value;
  const [got, wanted] = [sortedText(raw), sortedText(test.output)];
  return got === wanted ? undefined : `got ${got}, not ${wanted}`;
}

const printed = (value: unknown): string => JSON.stringify(value, raw);

/** Integers of any size as JSON has them. */
function raw(_key: string, value: unknown): unknown {
  return typeof value === 'bigint'
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
    : value;
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** A text that is the same for equal values, whatever the order of keys and the kind of number. */
function sortedText(value: unknown): string {
  return printed(sorted(JSON.parse(printed(value === undefined ? null : value), exact)));
}

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(context?.source ?? ''))
    return value;
  return BigInt(context!.source!);
}

/** Numbers and bytes may be written with their type. */
function untyped(value: object): unknown {
  const { _type: type, value: inner } = value as { _type?: string; value?: string };
  if (type === undefined || inner === undefined) return value;
  return /int/.test(type) ? (Number.isSafeInteger(Number(inner)) ? Number(inner) : BigInt(inner)) : inner;
}

function sorted(given: unknown): unknown {
  const value = typeof given === 'object' && given !== null ? untyped(given) : given;
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) {
    process.stderr.write('name the folder of the corpus\n');
    process.exit(2);
  }
  const { ran, differences } = runCorpus(folder);
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  process.stdout.write(`${ran} cases, ${differences.length} differ\n`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
