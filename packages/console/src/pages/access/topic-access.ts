import type { OutputOf } from '@weir/api/client';
import type { Rule } from './acl-rule.ts';

/** Whether a rule is about a topic: by its name, by how the name begins, or because it is about all. */
export function isAboutTopic(rule: Rule, topic: string): boolean {
  if (rule.resource_type !== 'TOPIC') return false;
  if (rule.pattern_type === 'LITERAL') return rule.resource_name === topic || rule.resource_name === '*';
  // As a beginning, `*` is no name of a topic and matches none.
  return rule.resource_name !== '*' && topic.startsWith(rule.resource_name);
}

type Explained = OutputOf<'explain_access'>;
type PrincipalAccess = NonNullable<Explained['who']>[number];

/** `partly`: from some addresses, and not from others. */
export type Permission = 'yes' | 'no' | 'partly';

export interface TopicPrincipal {
  readonly principal: string;
  readonly isSuperuser: boolean;
  readonly read: Permission;
  readonly write: Permission;
}

/**
 * Joins who may read and who may write. A principal that one of the two does not list is one of all others there, which
 * is `User:*`.
 */
export function topicPrincipals(read: Explained, write: Explained): readonly TopicPrincipal[] {
  const readers = byPrincipal(read);
  const writers = byPrincipal(write);
  const names = new Set([...readers.keys(), ...writers.keys()]);
  // All others come last.
  names.delete(everybody);
  return [...names, everybody].map((principal) => {
    const reads = readers.get(principal) ?? readers.get(everybody);
    const writes = writers.get(principal) ?? writers.get(everybody);
    const isSuperuser = (reads?.is_superuser ?? false) || (writes?.is_superuser ?? false);
    return { principal, isSuperuser, read: permissionOf(reads), write: permissionOf(writes) };
  });
}

const everybody = 'User:*';

function byPrincipal({ who = [] }: Explained): ReadonlyMap<string, PrincipalAccess> {
  return new Map(who.map((one) => [one.principal, one]));
}

/** What the rules decide, enforced or not. */
function permissionOf(access: PrincipalAccess | undefined): Permission {
  if (access === undefined) return 'no';
  if (access.is_superuser) return 'yes';
  if (access.other_hosts.length > 0) return 'partly';
  return access.do_rules_allow ? 'yes' : 'no';
}
