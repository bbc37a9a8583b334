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
  .meta({ id: 'Acl', description: 'A rule. It has no id: it is what its seven fields say.' });

const principalAccess = z
  .object({
    principal: text().describe('Who: a principal of rules, or the name of a credential.'),
    is_allowed: z.boolean().describe('Whether an attempt succeeds.'),
    do_rules_allow: z.boolean().describe('Whether the rules allow it, enforced or not.'),
    is_superuser: z.boolean().describe('Whether no rule binds this principal.'),
    deciding_rule: rule.nullable().describe('The rule that decided, or `null` if none is about it.'),
    other_hosts: list(text(), otherHostsMax).describe('Addresses from which the rules decide otherwise.'),
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
      'Decides as agents do: what denies wins, and what no rule is about is denied. Superusers are bound by no rule. A principal may be named as its credential is. Without a principal, `who` lists superusers and all principals that rules about it name, and the other fields are about all other principals.',
    input: clusterInput({
      principal: text(coreLimits.principalNameCharsMax, 1)
        .optional()
        .describe('Who, as `User:name` or only the name. Without it, who may.'),
      operation: z.enum(neededOperations).describe('The operation.'),
      resource_type: fields.resource_type.describe('With what.'),
      resource_name: text(coreLimits.aclResourceNameCharsMax, 1).describe(
        'Its name. The cluster is `kafka-cluster`.',
      ),
      host: text(coreLimits.aclHostCharsMax, 1)
        .optional()
        .describe('The client address. Without it, one that no rule names.'),
    }),
    output: z.object({
      is_allowed: z.boolean().describe('Whether an agent would allow it now.'),
      do_rules_allow: z.boolean().describe('Whether the rules allow it, enforced or not.'),
      mode: z
        .enum(['off', 'shadow', 'enforced'])
        .describe('How ACLs apply: `off`, `shadow` (denials are only logged) or `enforced`.'),
      is_superuser: z.boolean().describe('Whether the principal is exempt from rules.'),
      principals: list(text(), principalNamesMax).describe(
        'All names of the principal that rules can match.',
      ),
      deciding_rule: rule.nullable().describe('The rule that decided, or `null` if none is about it.'),
      reason: text().describe('Why, in a sentence.'),
      near_rules: list(
        z.object({
          rule: rule.describe('The rule.'),
          differs_in: z
            .enum(['principal', 'resource', 'operation', 'host', 'permission'])
            .describe(
              'The only thing in which it says something else; a rule of another `permission` was overruled.',
            ),
        }),
        nearRulesMax,
      ).describe('Rules that would decide if one thing were different.'),
      who: list(principalAccess, apiLimits.explainedPrincipalsMax + 1)
        .optional()
        .describe(
          'All that no other entry names as `User:*`, then principals that may, then those that may not. Only without a principal.',
        ),
      who_total: count(coreLimits.aclsMax + coreLimits.credentialsMax + 1)
        .optional()
        .describe('How many there are, of whom the first are listed.'),
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
      'A rule that already exists is not an error. Rules are kept while ACLs are off, and agents obey them within seconds when they are on. Words that stand for several, such as `ANY`, are not rules and are refused.',
    input: clusterInput({
      acl: ruleGiven.describe('The rule.'),
    }),
    output: z.object({ acl: rule.describe('The rule as it is kept.') }),
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
      acls: list(rule, coreLimits.aclsPerCallMax).describe('The rules that were removed.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { acls: [exampleRule] },
      output: { acls: [exampleRule] },
    },
  }),
] as const;
