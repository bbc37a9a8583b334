import { catalogue, consolePaths, type InputOf } from '@weir/api';
import { inWords } from '../tools/acls.ts';
import { defineWriteTool } from './write-tool.ts';

type Rule = InputOf<'virtual_clusters/acls/create'>['acl'];

const rulesMax = 20;

export const aclWriteTools = [
  defineWriteTool({
    name: 'create_acl',
    icon: 'access',
    changes: 'virtual_clusters/acls/create',
    reads: ['virtual_clusters/acls/list'],
    isDestructive: false,
    input: { acl: catalogue['virtual_clusters/acls/create'].input.shape.acl },
    async plan({ acl }, context, virtual_cluster_id) {
      const { acls } = await context.call('virtual_clusters/acls/list', { virtual_cluster_id });
      const exists = acls.some((one) => isSame(one, acl));
      return {
        title: 'Create an ACL',
        changes: exists ? [] : [{ name: 'acl', before: null, after: inWords(acl) }],
        warnings: warningsOf(acl),
        consolePath: consolePaths.acls(virtual_cluster_id),
      };
    },
    apply: ({ acl }, context, virtual_cluster_id) =>
      context.call('virtual_clusters/acls/create', { virtual_cluster_id, acl }),
  }),
  defineWriteTool({
    name: 'delete_acls',
    icon: 'access',
    changes: 'virtual_clusters/acls/delete',
    reads: ['virtual_clusters/acls/list'],
    isDestructive: true,
    input: {
      acls: catalogue['virtual_clusters/acls/delete'].input.shape.acls
        .max(rulesMax)
        .describe('As in create_acl, each.'),
    },
    async plan({ acls: given }, context, virtual_cluster_id) {
      const { acls } = await context.call('virtual_clusters/acls/list', { virtual_cluster_id });
      const [there, missing] = [true, false].map((isThere) =>
        given.filter((rule) => acls.some((one) => isSame(one, rule)) === isThere),
      ) as [Rule[], Rule[]];
      return {
        title: `Delete ${there.length} ${there.length === 1 ? 'ACL' : 'ACLs'}`,
        changes: there.map((rule) => ({ name: 'acl', before: inWords(rule), after: null })),
        warnings: missing.map((rule) => `There is no rule ${inWords(rule)}.`),
        consolePath: consolePaths.acls(virtual_cluster_id),
      };
    },
    apply: ({ acls }, context, virtual_cluster_id) =>
      context.call('virtual_clusters/acls/delete', { virtual_cluster_id, acls }),
  }),
];

/** A rule is what its fields say. */
function isSame(one: Rule, other: Rule): boolean {
  return (Object.keys(other) as (keyof Rule)[]).every((field) => one[field] === other[field]);
}

function warningsOf({ permission_type: permission, principal, resource_name: name }: Rule): string[] {
  if (permission === 'DENY') return ['A rule that denies takes precedence over all that allow.'];
  return principal === 'User:*' || name === '*'
    ? ['The rule applies to every principal or to every name.']
    : [];
}
