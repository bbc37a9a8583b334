import type { DocumentProblem } from '../document/problem.ts';
import type { Plan } from '../plan/plan.ts';
import { isWriting } from '../plan/step.ts';
import { readSecretFile } from './secret-file.ts';
import type { SecretKeeper } from './secret-keeper.ts';

/** Problems of the secrets that the plan needs. Things that exist already need no secret. */
export async function secretProblems(plan: Plan, secrets: SecretKeeper): Promise<DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  for (const step of plan.clusters.flatMap(({ steps }) => steps).filter(isWriting)) {
    const { task } = step;
    if (task.operation === 'create_virtual_cluster_credentials') {
      const { name, place, password } = task.credential;
      const problem = await secrets.problemOf(password);
      if (problem !== undefined) problems.push({ place, message: `credential ${name}: ${problem}` });
    } else if (task.operation === 'create_api_key') {
      const { name, place, key } = task.agentKey;
      const problem = (await secrets.problemOf(key)) ?? (await takenRoom(key));
      if (problem !== undefined) problems.push({ place, message: `agent key ${name}: ${problem}` });
    }
  }
  return problems;
}

/** The API creates a key, so a file that already holds a secret cannot hold this key. */
async function takenRoom(place: {
  readonly kind: string;
  readonly path?: string;
}): Promise<string | undefined> {
  if (place.path === undefined || (await readSecretFile(place.path)) === undefined) return undefined;
  return `${place.path} already contains a secret; move it`;
}
