import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type RowName, type RunsBySide, rowNames } from './bars.ts';

/** Results of one row. */
export interface RowResults {
  readonly name: RowName;
  readonly title: string;
  readonly date: string;
  readonly commit: string;
  readonly isQuick: boolean;
  /** Whether the client was a new process for each run. */
  readonly isColdClient: boolean;
  /** Empty where the row failed. */
  readonly runs: RunsBySide;
  /** Who did not take part and why, what failed, and what else a reader has to know. */
  readonly notes?: readonly string[];
}

export interface ResultsFile {
  readonly format: 2;
  /** Results of two machines do not belong in one file. */
  readonly machine: string;
  /** The commit of the row that was measured last. Rows of other commits are marked, and do not count. */
  readonly commit: string;
  readonly rows: readonly RowResults[];
}

/**
 * Replaces the row or adds it, in the order of the page; rows from another machine are dropped. A row that failed
 * leaves what was measured of the same commit before.
 */
export function withRow(before: ResultsFile | undefined, machine: string, row: RowResults): ResultsFile {
  const old = before?.machine === machine ? before.rows : [];
  const known = old.find(({ name }) => name === row.name);
  const isFailed = Object.keys(row.runs).length === 0;
  const isKept = isFailed && known?.commit === row.commit && Object.keys(known.runs).length > 0;
  const rows = [...old.filter((other) => other !== known), isKept ? known : row];
  const place = ({ name }: RowResults) => rowNames.indexOf(name);
  return { format: 2, machine, commit: row.commit, rows: rows.sort((a, b) => place(a) - place(b)) };
}

/** The rows that can be compared with each other. */
export function rowsOfOneCommit({ rows, commit }: ResultsFile): readonly RowResults[] {
  return rows.filter((row) => row.commit === commit);
}

export function readResults(path: string): ResultsFile | undefined {
  if (!existsSync(path)) return undefined;
  const results = JSON.parse(readFileSync(path, 'utf8')) as ResultsFile;
  if (results.format !== 2) throw new Error(`${path} has another format; remove it and measure again`);
  return results;
}

/** Writes with few digits: more would only be noise. */
export function writeResults(path: string, results: ResultsFile): void {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, rounded, 2)}\n`);
}
