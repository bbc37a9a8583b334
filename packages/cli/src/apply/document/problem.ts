/** A spot in a file, for people and for editors: `weir.yaml:7:5`. */
export type Place = string;

/** What is wrong with a document. It prints as one line: `weir.yaml:7:5: topics[0].name: …`. */
export interface DocumentProblem {
  readonly place: Place;
  /** What is to be done about it, or what the rule is. Values are not repeated, because one of them may be a secret. */
  readonly message: string;
}

/** Puts problems of one file in the order in which a reader of the file meets them. */
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
