import type { FlagValues } from '../flags/catalogue.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

export type Role = FlagValues['roles'][number];

type Values = Pick<FlagValues, 'roles' | 'enableManagedPipelines' | 'disableQueryEngine'>;

/**
 * The roles of an agent, without duplicates. `-enableManagedPipelines` is another way to request the role `pipelines`.
 */
export function resolveRoles(values: Values): Outcome<readonly Role[], Violation> {
  const roles = new Set(values.roles);
  if (values.enableManagedPipelines) roles.add('pipelines');
  if (roles.size === 0) return forbidden(['roles'], 'an agent needs at least one role');
  if (roles.size === 1 && roles.has('query') && values.disableQueryEngine) {
    return forbidden(
      ['roles', 'disableQueryEngine'],
      'an agent whose only role is query needs its query engine',
    );
  }
  return { value: [...roles] };
}

export const roleRule: Rule = {
  statement: 'An agent needs at least one role. -enableManagedPipelines adds the role pipelines.',
  flags: ['roles', 'enableManagedPipelines', 'disableQueryEngine'],
  commands: ['agent'],
  check(values) {
    const resolved = resolveRoles(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
