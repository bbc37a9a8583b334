import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunsBySide } from './bars.ts';

/** Results of one row. */
export interface RowResults {
  readonly name: string;
  readonly title: string;
  readonly date: string;
  readonly commit: string;
  readonly isQuick: boolean;
  /** Whether the client was a new process for each run. */
  readonly isColdClient: boolean;
  readonly runs: RunsBySide;
}

export interface ResultsFile {
  readonly format: 1;
  /** Results of two machines do not belong in one file. */
  readonly machine: string;
  readonly rows: readonly RowResults[];
}

/** Replaces the row or adds it; rows from another machine are dropped. */
export function withRow(before: ResultsFile | undefined, machine: string, row: RowResults): ResultsFile {
  const old = before?.machine === machine ? before.rows : [];
  const isKnown = old.some(({ name }) => name === row.name);
  const rows = isKnown ? old.map((other) => (other.name === row.name ? row : other)) : [...old, row];
  return { format: 1, machine, rows };
}

export function readResults(path: string): ResultsFile | undefined {
  if (!existsSync(path)) return undefined;
  const results = JSON.parse(readFileSync(path, 'utf8')) as ResultsFile;
  if (results.format !== 1) throw new Error(`${path} has another format; remove it and measure again`);
  return results;
}

/** Writes with few digits: more would only be noise. */
export function writeResults(path: string, results: ResultsFile): void {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, rounded, 2)}\n`);
}
