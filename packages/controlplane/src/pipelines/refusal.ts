import { ApiError } from '@weir/api';
import type { ConfigurationProblem } from '@weir/pipelines/yaml';

/** Problems listed in one answer. */
const shownMax = 5;

/** A configuration that is refused for what stands at places of its text. */
export class ConfigurationRefusal extends ApiError {
  readonly problems: readonly ConfigurationProblem[];
  /** The part that has them, of a configuration in parts. */
  readonly part: string | undefined;

  constructor(message: string, problems: readonly ConfigurationProblem[], part: string | undefined) {
    super('invalid_pipeline_configuration', message);
    this.problems = problems;
    this.part = part;
  }
}

/** Formats the problems of a text in one line, in the order of the text. */
export function refusalOf(problems: readonly ConfigurationProblem[], part?: string): ConfigurationRefusal {
  const inOrder = problems.toSorted(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
  const shown = inOrder
    .slice(0, shownMax)
    .map(({ place: { line, column }, message }) => `line ${line}, column ${column}: ${message}`);
  if (problems.length > shownMax) shown.push(`and ${problems.length - shownMax} more`);
  const where = part === undefined ? '' : `part ${part}: `;
  return new ConfigurationRefusal(where + shown.join('; '), problems, part);
}
