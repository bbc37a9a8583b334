import { ApiError } from '@weir/api';
import type { ConfigurationProblem } from '@weir/pipelines/yaml';

/** Problems listed in one answer. */
const shownMax = 5;

/** Formats the problems of a text in one line, in the order of the text. */
export function refusalOf(problems: readonly ConfigurationProblem[], part?: string): ApiError {
  const inOrder = problems.toSorted(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
  const shown = inOrder
    .slice(0, shownMax)
    .map(({ place: { line, column }, message }) => `line ${line}, column ${column}: ${message}`);
  if (problems.length > shownMax) shown.push(`and ${problems.length - shownMax} more`);
  const where = part === undefined ? '' : `part ${part}: `;
  return new ApiError('invalid_pipeline_configuration', where + shown.join('; '));
}
