/** A position in a file, in the format that editors understand: `weir.yaml:7:5`. */
export type Place = string;

/** A problem of a document. It prints as one line: `weir.yaml:7:5: topics[0].name: …`. */
export interface DocumentProblem {
  readonly place: Place;
  /** What to do about it, or the rule. Values are not repeated, because one of them may be a secret. */
  readonly message: string;
  /** Lines to print below it. */
  readonly details?: readonly string[] | undefined;
}

/** Sorts the problems of one file by position. */
export function inReadingOrder(problems: readonly DocumentProblem[]): DocumentProblem[] {
  return problems
    .map((problem) => ({ problem, at: lineAndColumn(problem.place) }))
    .sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    .map(({ problem }) => problem);
}

function lineAndColumn(place: Place): { readonly line: number; readonly column: number } {
  const [, line, column] = /:(\d+):(\d+)$/.exec(place) ?? [];
  return { line: Number(line), column: Number(column) };
}

export function documentProblemLine({ place, message }: DocumentProblem): string {
  return `${place}: ${message}`;
}
