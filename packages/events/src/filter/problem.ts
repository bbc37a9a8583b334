/** What is wrong with a filter, and where. */
export interface Problem {
  /** The place, in UTF-16 code units as editors count. Where something is missing both are the same. */
  readonly from: number;
  readonly to: number;
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to write in the place instead. */
  readonly suggestion?: string;
}

export type Place = Pick<Problem, 'from' | 'to'>;

export type Report = (place: Place, message: string, suggestion?: string) => void;

/** Collects the problems of one text, up to a number of them. The list is in the order of their places. */
export function collectProblems(text: string, countMax: number): { report: Report; list(): Problem[] } {
  const found: Problem[] = [];
  return {
    report({ from, to }, message, suggestion) {
      if (found.length >= countMax) return;
      const before = text.slice(0, from);
      const line = before.split('\n').length;
      const column = from - before.lastIndexOf('\n');
      const problem = { from, to, line, column, message };
      found.push(suggestion === undefined ? problem : { ...problem, suggestion });
    },
    list: () => found.toSorted((one, other) => one.from - other.from || one.to - other.to),
  };
}

/** The line of the text with marks under the place, for terminals and for answers in plain text. */
export function pointAt(text: string, { from, to, line, column }: Problem): string {
  const shown = text.split('\n')[line - 1]!;
  const length = Math.max(1, Math.min(to - from, shown.length - column + 1));
  return `${shown}\n${' '.repeat(column - 1)}${'^'.repeat(length)}`;
}
