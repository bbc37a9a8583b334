import type { Acl } from '../desired.ts';
import { creation, deletion, nothing } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/** Plans ACLs. An ACL is identified by all of its seven fields, so there is nothing to update. */
export function planAcls({ desired, actual, isPruning }: PlanContext): Step[] {
  if (desired.acls === undefined) return [];
  const wanted = new Map(desired.acls.map((acl) => [aclText(acl), acl]));
  const there = new Map(actual?.acls?.map((acl) => [aclText(acl), acl]));
  const steps = [...wanted].map(([name, acl]): Step => {
    if (there.has(name)) return nothing(desired, 'acl', name);
    return creation(desired, {
      kind: 'acl',
      name,
      phase: 'acls',
      task: { operation: 'virtual_clusters/acls/create', input: { acl } },
    });
  });
  const others = isPruning ? [...there].filter(([name]) => !wanted.has(name)) : [];
  return [
    ...steps,
    ...others.map(([name, acl]) =>
      deletion(desired, {
        kind: 'acl',
        name,
        phase: 'acl deletions',
        task: { operation: 'virtual_clusters/acls/delete', input: { acls: [acl] } },
      }),
    ),
  ];
}

/** The seven fields as text. Equal texts mean equal rules, because free-form fields are quoted. */
function aclText(acl: Acl): string {
  const name = `${acl.resource_type} ${quoted(acl.resource_name)}${acl.pattern_type === 'PREFIXED' ? '…' : ''}`;
  const who = `${quoted(acl.principal)} from ${quoted(acl.host)}`;
  return `${acl.permission_type} ${who}: ${acl.operation} ${name}`;
}

/** Plain words are not quoted. */
function quoted(text: string): string {
  return /^[\w.:*/@=+-]+$/.test(text) ? text : JSON.stringify(text);
}
