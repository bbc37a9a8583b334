import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { clusterMembers } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

/** The cluster of an agent, and how the agent authenticates. */
export interface AgentIdentity {
  readonly virtualClusterId: string;
  readonly proof:
    | { readonly kind: 'key'; readonly key: string }
    | { readonly kind: 'keyFile'; readonly path: string }
    | { readonly kind: 'workloadIdentity'; readonly source: 'aws' | 'gcp' };
}

const proofs = [
  'agentKey',
  'agentKeyPath',
  'workloadIdentityTokenSource',
] as const satisfies readonly FlagName[];

type Values = Pick<FlagValues, (typeof proofs)[number] | 'defaultVirtualClusterID'>;

export function resolveAgentIdentity(values: Values): Outcome<AgentIdentity, Violation> {
  const given = proofs.filter((name) => values[name] !== undefined);
  if (given.length > 1) return forbidden(given, 'set only one of them');
  const {
    defaultVirtualClusterID: virtualClusterId,
    agentKey,
    agentKeyPath,
    workloadIdentityTokenSource,
  } = values;
  if (virtualClusterId === undefined) return missing(['defaultVirtualClusterID'], 'is required');
  if (agentKey !== undefined) return { value: { virtualClusterId, proof: { kind: 'key', key: agentKey } } };
  if (agentKeyPath !== undefined) {
    return { value: { virtualClusterId, proof: { kind: 'keyFile', path: agentKeyPath } } };
  }
  if (workloadIdentityTokenSource !== undefined) {
    return {
      value: { virtualClusterId, proof: { kind: 'workloadIdentity', source: workloadIdentityTokenSource } },
    };
  }
  return missing(['agentKey'], 'is required, or -agentKeyPath or -workloadIdentityTokenSource');
}

export const agentIdentityRule: Rule = {
  statement:
    '-defaultVirtualClusterID is needed, and exactly one of -agentKey, -agentKeyPath and -workloadIdentityTokenSource.',
  flags: ['defaultVirtualClusterID', ...proofs],
  commands: clusterMembers,
  check(values) {
    const resolved = resolveAgentIdentity(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
