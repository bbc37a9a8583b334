import { apiLimits } from '@weir/api/limits';
import { configurationProblems, likelyTypeOf } from '@weir/controlplane/pipeline-configuration';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { readGivenFile } from './given-file.ts';
import { mappingProblems } from './mapping-problems.ts';

/** The exit status if the configuration has problems. */
const invalidStatus = 1;

/** Checks a file as the control plane checks a configuration before it stores it. It needs no server. */
export const validatePipelineConfigTool: Handler<'cli validate-pipeline-config'> = async (values, deps) => {
  const path = values['config-file']!;
  // The limit of the checker is exact; this one bounds what is read.
  const bytesMax = 2 * apiLimits.pipelineConfigurationBytesMax;
  const yaml = await readGivenFile('config-file', path, bytesMax, deps);
  const type = values['pipeline-type'] ?? likelyTypeOf(yaml);
  const found = configurationProblems(type, yaml).map(({ place: { line, column }, message }) => ({
    line,
    column,
    message,
  }));
  const problems = (found.length === 0 && type !== 'bento' ? mappingProblems(yaml) : found).toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  const file = path === '-' ? 'standard input' : path;
  const isValid = problems.length === 0;
  const lines = isValid
    ? [`${file}: valid configuration of a ${type} pipeline`]
    : problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  printResult(values, deps, {
    json: { file, type, isValid, problems },
    text: () => lines.map((line) => `${escapeControls(line)}\n`).join(''),
  });
  return isValid ? 0 : invalidStatus;
};
