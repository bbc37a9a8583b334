/** A problem of a filter, with its position. */
export interface Problem {
  /** The range, in UTF-16 code units as editors count. Both are equal where something is missing. */
  readonly from: number;
  readonly to: number;
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The replacement for the range. */
  readonly suggestion?: string;
}

export type Place = Pick<Problem, 'from' | 'to'>;

export type Report = (place: Place, message: string, suggestion?: string) => void;

/** Collects the problems of one text, up to a maximum. The list is sorted by position. */
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

/** Returns the line of the text with markers under the range, for terminals and plain text. */
export function pointAt(text: string, { from, to, line, column }: Problem): string {
  const shown = text.split('\n')[line - 1]!;
  const length = Math.max(1, Math.min(to - from, shown.length - column + 1));
  return `${shown}\n${' '.repeat(column - 1)}${'^'.repeat(length)}`;
}
