import {
  type AclResourceType,
  aclOperations as aclOperationNumbers,
  aclPatternTypes,
  aclPermissions,
  aclResourceTypes,
  coreLimits,
  type NeededOperation,
} from '@weir/core';
import * as z from 'zod';
import { count, list, text } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

function wordsOf<Word extends string>(table: Readonly<Record<Word, number>>): [Word, ...Word[]] {
  return Object.keys(table) as [Word, ...Word[]];
}

const fields = {
  resource_type: z
    .enum(aclResourceTypes as [AclResourceType, ...AclResourceType[]])
    .describe('The type of the resource that the rule applies to.'),
  resource_name: text(coreLimits.aclResourceNameCharsMax, 1).describe(
    'The name of the resource, or `*` for all. The cluster is `kafka-cluster`, the schema registry `schema-registry`.',
  ),
  pattern_type: z
    .enum(wordsOf(aclPatternTypes))
    .describe('Whether the rule matches the exact name or names with this prefix.'),
  principal: text(coreLimits.principalNameCharsMax, 1).describe(
    'The principal, as `User:name`; `User:*` is every user.',
  ),
  host: text(coreLimits.aclHostCharsMax, 1).describe('The host of the client, or `*` for every host.'),
  operation: z.enum(wordsOf(aclOperationNumbers)).describe('What the rule allows or denies.'),
  permission_type: z
    .enum(wordsOf(aclPermissions))
    .describe('Whether the rule allows or denies. A rule that denies takes precedence.'),
};

const nearRulesMax = 10;
const principalNamesMax = 4;
const otherHostsMax = 10;

const neededOperations = wordsOf(aclOperationNumbers).filter((word) => word !== 'ALL') as [
  NeededOperation,
  ...NeededOperation[],
];

const ruleGiven = z.strictObject(fields);
const rule = z
  .object(fields)
  .meta({ id: 'Acl', description: 'An ACL. It has no id; its seven fields identify it.' });

const principalAccess = z
  .object({
    principal: text().describe('The principal of a rule, or the name of a credential.'),
    is_allowed: z.boolean().describe('Whether an attempt succeeds.'),
    do_rules_allow: z.boolean().describe('Whether the rules allow it, enforced or not.'),
    is_superuser: z.boolean().describe('Whether the principal is a superuser, to whom no rule applies.'),
    deciding_rule: rule.nullable().describe('The rule that decided, or `null` if none matches.'),
    other_hosts: list(text(), otherHostsMax).describe('Client addresses for which the result differs.'),
  })
  .meta({ id: 'PrincipalAccess', description: 'What one principal may do.' });

const exampleRule = {
  resource_type: 'TOPIC',
  resource_name: 'orders',
  pattern_type: 'LITERAL',
  principal: 'User:shop',
  host: '*',
  operation: 'WRITE',
  permission_type: 'ALLOW',
} as const;

export const aclOperations = [
  defineClusterOperation({
    name: 'virtual_clusters/acls/list',
    title: 'List ACLs',
    summary: 'List the ACLs of a virtual cluster.',
    output: z.object({ acls: list(rule, coreLimits.aclsMax).describe('The rules.') }),
    errors: ['unsupported_cluster_type'],
    example: { output: { acls: [exampleRule] } },
  }),
  defineClusterOperation({
    name: 'explain_access',
    title: 'Explain access',
    summary:
      'Decide whether a principal, or which principals, may perform an operation in a virtual cluster, and by which rule.',
    description:
      'Decides as agents do: DENY takes precedence, and what no rule allows is denied. Rules do not apply to superusers. You can name a principal by its credential. Without a principal, `who` lists superusers and all principals that matching rules name, and the other fields describe everyone else.',
    input: clusterInput({
      principal: text(coreLimits.principalNameCharsMax, 1)
        .optional()
        .describe('`User:name`, or only the name. Without it, the answer lists who may.'),
      operation: z.enum(neededOperations).describe('The operation.'),
      resource_type: fields.resource_type.describe('The type of the resource.'),
      resource_name: text(coreLimits.aclResourceNameCharsMax, 1).describe(
        'Its name; `kafka-cluster` for the cluster.',
      ),
      host: text(coreLimits.aclHostCharsMax, 1)
        .optional()
        .describe('The client address; by default, one that no rule names.'),
    }),
    output: z.object({
      is_allowed: z.boolean().describe('Whether an agent would allow it now.'),
      do_rules_allow: z.boolean().describe('Whether the rules allow it, enforced or not.'),
      mode: z
        .enum(['off', 'shadow', 'enforced'])
        .describe('How ACLs apply: `off`, `shadow` (denials are only logged) or `enforced`.'),
      is_superuser: z.boolean().describe('Whether the principal is a superuser, to whom no rule applies.'),
      principals: list(text(), principalNamesMax).describe(
        'All names of the principal that rules can match.',
      ),
      deciding_rule: rule.nullable().describe('The rule that decided, or `null` if none matches.'),
      reason: text().describe('The reason, in a sentence.'),
      near_rules: list(
        z.object({
          rule: rule.describe('The rule.'),
          differs_in: z
            .enum(['principal', 'resource', 'operation', 'host', 'permission'])
            .describe('The only field that differs; with `permission`, another rule took precedence.'),
        }),
        nearRulesMax,
      ).describe('Rules that differ from a match in one field only.'),
      who: list(principalAccess, apiLimits.explainedPrincipalsMax + 1)
        .optional()
        .describe(
          '`User:*` for everyone that no other entry names, then principals that may, then those that may not. Only without a principal.',
        ),
      who_total: count(coreLimits.aclsMax + coreLimits.credentialsMax + 1)
        .optional()
        .describe('The total, of which the first are listed.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: {
        principal: 'User:shop',
        operation: 'WRITE',
        resource_type: 'TOPIC',
        resource_name: 'orders',
      },
      output: {
        is_allowed: true,
        do_rules_allow: true,
        mode: 'enforced',
        is_superuser: false,
        principals: ['User:shop', 'User:ccn_shop', 'User:ccun_5f0c'],
        deciding_rule: exampleRule,
        reason: 'A rule allows User:shop WRITE on TOPIC orders.',
        near_rules: [],
      },
    },
  }),
  defineClusterOperation({
    name: 'virtual_clusters/acls/create',
    title: 'Create an ACL',
    summary: 'Create an ACL in a virtual cluster.',
    description:
      'Creating a rule that already exists is not an error. Rules can be created while ACLs are off; when ACLs are on, agents apply a new rule within seconds. Filter values such as `ANY` are refused.',
    input: clusterInput({
      acl: ruleGiven.describe('The rule.'),
    }),
    output: z.object({ acl: rule.describe('The rule as stored.') }),
    errors: ['limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { acl: exampleRule },
      output: { acl: exampleRule },
    },
  }),
  defineClusterOperation({
    name: 'virtual_clusters/acls/delete',
    title: 'Delete ACLs',
    summary: 'Delete ACLs of a virtual cluster.',
    description: 'Rules that do not exist are ignored; the response lists those that were deleted.',
    input: clusterInput({
      acls: list(ruleGiven, coreLimits.aclsPerCallMax, 1).describe('The rules.'),
    }),
    output: z.object({
      acls: list(rule, coreLimits.aclsPerCallMax).describe('The rules that were deleted.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { acls: [exampleRule] },
      output: { acls: [exampleRule] },
    },
  }),
] as const;
