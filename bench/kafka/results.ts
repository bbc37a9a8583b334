import { type BenchResult, isMet } from './bench-result.ts';
import { cellsOf, columns, markdownTable } from './table.ts';

export interface Occasion {
  /** `2026-11-15` */
  readonly date: string;
  readonly machine: string;
  readonly commit: string;
  /** Measurements per side. */
  readonly runs: number;
  readonly isQuick: boolean;
}

const head = [...columns, 'date', 'commit', 'runs'] as const;
const machineLabel = 'Machine: ';

/**
 * Returns the text of RESULTS.md with the results inserted. A repeated measurement replaces its lines; others keep
 * their lines and date, unless they come from another machine.
 */
export function updatedResults(before: string, results: readonly BenchResult[], occasion: Occasion): string {
  const { date, commit, machine, runs, isQuick } = occasion;
  const effort = `${runs}${isQuick ? ', quick' : ''}`;
  const oldLines = before.includes(`${machineLabel}${machine}\n`) ? linesIn(before) : [];
  const fresh = results.map((result) => [...cellsOf(result), date, commit, effort]);
  const rows = new Set(fresh.map(([row]) => row));
  const lines: string[][] = [];
  for (const line of oldLines) {
    if (!rows.has(line[0]!)) lines.push(line);
    // Repeated measurements stay at their position in the table.
    else if (lines.every(([row]) => row !== line[0])) lines.push(...fresh.filter(([row]) => row === line[0]));
  }
  const placed = new Set(lines.map(([row]) => row));
  lines.push(...fresh.filter(([row]) => !placed.has(row!)));
  return page(machine, lines);
}

/** Summarizes how many results have a bar and how many of them meet it. */
export function verdict(results: readonly BenchResult[]): string {
  const outcomes = results.map(isMet).filter((met) => met !== undefined);
  return `${outcomes.filter(Boolean).length} of ${outcomes.length} bars met`;
}

function linesIn(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((cells) => cells.length === head.length && cells[0] !== head[0] && !/^-+$/.test(cells[0]!));
}

function page(machine: string, lines: readonly (readonly string[])[]): string {
  return `# Results

\`npm run bench:scenarios -- --write\` writes this page; [README.md](README.md) says how the results are taken and how to read them.
What misses its bar stays here until it does not. A commit with a plus had changes that were not committed.

${machineLabel}${machine}

${markdownTable(head, lines)}`;
}
