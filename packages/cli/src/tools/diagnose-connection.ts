import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { type ConnectionValues, clusterOptions } from './connection.ts';
import { diagnose } from './diagnosis/diagnose.ts';
import { conclusionOf, diagnosisText, problemsOf } from './diagnosis/report.ts';

export const diagnoseConnectionTool: Handler<'cli diagnose-connection'> = (values, deps) =>
  diagnoseConnection(values, deps);

type Values = ConnectionValues & Pick<FlagValues, 'output' | 'topic'> & Partial<Pick<FlagValues, 'group'>>;

/** Tries a connection to each given address step by step, and reports the outcome of each step. */
export async function diagnoseConnection(values: Values, deps: Deps): Promise<number> {
  const options = await clusterOptions(values, deps);
  let problemCount = 0;
  for (const [index, address] of options.bootstrap.entries()) {
    const { topic, group } = values;
    const diagnosis = await diagnose({ ...options, bootstrap: [address], topic, group });
    const problems = problemsOf(diagnosis);
    problemCount += problems.length;
    printResult(values, deps, {
      json: { works: problems.length === 0, ...diagnosis, problems, conclusion: conclusionOf(diagnosis) },
      text: () => `${index === 0 ? '' : '\n'}${diagnosisText(diagnosis)}`,
    });
    if (deps.stop.aborted) return stoppedStatus;
  }
  return problemCount === 0 ? 0 : 1;
}
