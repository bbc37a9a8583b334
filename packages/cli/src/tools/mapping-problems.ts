import { BloblangError, parseMapping, pipelineEnvironment, pureEnvironment } from '@weir/bloblang';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** A problem of a mapping in a configuration: where the mapping begins, and where in it the problem is. */
interface MappingProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Processors whose value is a mapping; transforms of tables are mappings without an environment. */
const environments: ReadonlyMap<string, typeof pipelineEnvironment> = new Map([
  ['mapping', pipelineEnvironment],
  ['mutation', pipelineEnvironment],
  ['bloblang', pipelineEnvironment],
  ['transform', pureEnvironment],
]);

/** Parses every mapping of a configuration that is valid YAML. */
export function mappingProblems(yaml: string): MappingProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, logLevel: 'silent' });
  const problems: MappingProblem[] = [];
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string') return;
      const environment = environments.get(String(key.value));
      if (environment === undefined) return;
      const problem = problemOf(value.value, environment);
      if (problem === undefined) return;
      const { line, col } = lines.linePos(value.range?.[0] ?? 0);
      problems.push({ line, column: col, message: `${key.value}: ${problem}` });
    },
  });
  return problems;
}

function problemOf(text: string, environment: typeof pipelineEnvironment): string | undefined {
  // A reference such as ${NAME} is replaced before the mapping is parsed.
  if (/\$\{[A-Za-z_]/.test(text)) return undefined;
  try {
    parseMapping(text, { environment });
    return undefined;
  } catch (error) {
    if (error instanceof BloblangError) return error.described;
    throw error;
  }
}
