import type { Rule } from './acl-rule.ts';

/** Whether a rule is about a topic: by its name, by how the name begins, or because it is about all. */
export function isAboutTopic(rule: Rule, topic: string): boolean {
  if (rule.resource_type !== 'TOPIC') return false;
  if (rule.pattern_type === 'LITERAL') return rule.resource_name === topic || rule.resource_name === '*';
  // As a beginning, `*` is no name of a topic and matches none.
  return rule.resource_name !== '*' && topic.startsWith(rule.resource_name);
}

/** `partly`: from some addresses, and not from others. */
export type Permission = 'yes' | 'no' | 'partly';

export interface TopicPrincipal {
  readonly principal: string;
  readonly read: Permission;
  readonly write: Permission;
}

/** What the rules about a topic let each principal do that they name. `User:*` stands for all others. */
export function principalsOf(rules: readonly Rule[]): readonly TopicPrincipal[] {
  const names = [...new Set(rules.map(({ principal }) => principal))].sort();
  return names.map((principal) => {
    const own = rules.filter((rule) => covers(rule.principal, principal));
    return { principal, read: permissionOf(own, 'READ'), write: permissionOf(own, 'WRITE') };
  });
}

/** Whether a rule for one principal is for another too: `User:*`, and `User:spiffe://domain/*` for its workloads. */
function covers(ofRule: string, principal: string): boolean {
  if (ofRule === principal || ofRule === 'User:*') return true;
  return /^User:spiffe:\/\/[^/]+\/\*$/.test(ofRule) && principal.startsWith(ofRule.slice(0, -1));
}

/** Decided as agents do: what denies wins, and what nothing allows is denied. */
function permissionOf(rules: readonly Rule[], operation: 'READ' | 'WRITE'): Permission {
  const deciding = rules.filter((rule) => rule.operation === operation || rule.operation === 'ALL');
  const denials = deciding.filter(({ permission_type }) => permission_type === 'DENY');
  const permits = deciding.filter(({ permission_type }) => permission_type === 'ALLOW');
  if (permits.length === 0 || denials.some(({ host }) => host === '*')) return 'no';
  return denials.length === 0 && permits.some(({ host }) => host === '*') ? 'yes' : 'partly';
}
