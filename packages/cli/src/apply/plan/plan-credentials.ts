import { creation, deletion, leftOut, nothing } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/**
 * Plans credentials. An existing credential is never recreated, because that would lock its clients out; differences
 * are reported.
 */
export function planCredentials(context: PlanContext): Step[] {
  const { desired, actual, refuse } = context;
  if (desired.credentials === undefined) return [];
  const there = new Map(actual?.credentials?.map((credential) => [credential.name, credential]));
  const steps = desired.credentials.map((credential): Step => {
    const { name, fullName, isSuperuser, place } = credential;
    const found = there.get(fullName);
    if (found !== undefined) {
      if (found.is_cluster_superuser !== isSuperuser) {
        const message = `credential ${name} has cluster_superuser ${found.is_cluster_superuser}, which cannot be changed; create one with another name`;
        refuse({ place, message });
      }
      return nothing(desired, 'credential', name);
    }
    return creation(desired, {
      kind: 'credential',
      name,
      phase: 'credentials',
      changes: isSuperuser ? [{ field: 'cluster_superuser', to: 'true' }] : [],
      task: { operation: 'create_virtual_cluster_credentials', credential },
    });
  });
  const wanted = desired.credentials.map(({ fullName }) => fullName);
  return [
    ...steps,
    ...leftOut(context, actual?.credentials, wanted).map(({ id, name }) =>
      deletion(desired, {
        kind: 'credential',
        name,
        phase: 'credential deletions',
        task: { operation: 'delete_virtual_cluster_credentials', input: { id } },
      }),
    ),
  ];
}
