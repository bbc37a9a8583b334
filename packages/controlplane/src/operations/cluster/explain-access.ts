import type { InputOf, OutputOf } from '@weir/api';
import { AclIndex, type AclQuestion, clusterConfigValue, principalCalled } from '@weir/cluster';
import { type NeededOperation, nextTurn } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { everyAcl, toAclResponse } from './acls.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { nearRules } from './near-rules.ts';
import type { ClusterServices } from './services.ts';
import {
  type AccessQuestion,
  everybody,
  type PrincipalAccess,
  unnamedHost,
  type WhoMay,
  whoMay,
} from './who-may.ts';

type Explained = OutputOf<'explain_access'>;

export function explainAccessOperations({ clusterPort }: ClusterServices) {
  return {
    explain_access: async (input, context) => {
      const port = clusterPort(input.virtual_cluster_id);
      const [clusterConfigs, acls, credentials] = await Promise.all([
        readClusterConfigs(port, context),
        port.describeAcls(everyAcl),
        port.listCredentials(),
      ]);
      const mode = modeIn(clusterConfigs);
      if (input.principal === undefined)
        return explainedForAll(
          mode,
          questionIn(input),
          await whoMay(acls, questionIn(input), credentials, () => nextTurn(context.clock)),
        );
      const { names: principals, isSuperuser } = principalCalled(input.principal, credentials);
      const question: AclQuestion = { principals, ...questionIn(input) };
      const { isAllowed, rule } = AclIndex.of(acls).decide(question);
      return {
        is_allowed: mode !== 'enforced' || isSuperuser || isAllowed,
        do_rules_allow: isAllowed,
        mode,
        is_superuser: isSuperuser,
        principals: [...principals],
        deciding_rule: rule === undefined ? null : toAclResponse(rule),
        reason: reasonOf(question, { mode, isSuperuser, permission: rule?.permission }),
        near_rules: nearRules(acls, question).map(({ acl, differsIn }) => ({
          rule: toAclResponse(acl),
          differs_in: differsIn,
        })),
      };
    },
  } satisfies SomeHandlers;
}

function questionIn(input: InputOf<'explain_access'>): AccessQuestion {
  return {
    host: input.host ?? unnamedHost,
    isHostGiven: input.host !== undefined,
    operation: input.operation as NeededOperation,
    resourceType: input.resource_type,
    resourceName: input.resource_name,
  };
}

/** Explains access for principals that no rule names, and for each that one does. */
function explainedForAll(
  mode: Explained['mode'],
  question: AccessQuestion,
  { everybodyElse, named, namedCount }: WhoMay,
): Explained {
  const isEnforced = mode === 'enforced';
  const toPrincipalResponse = ({ principal, isAllowed, isSuperuser, rule, otherHosts }: PrincipalAccess) => ({
    principal,
    is_allowed: !isEnforced || isSuperuser || isAllowed,
    do_rules_allow: isAllowed,
    is_superuser: isSuperuser,
    deciding_rule: rule === undefined ? null : toAclResponse(rule),
    other_hosts: [...otherHosts],
  });
  const { is_allowed, do_rules_allow, deciding_rule } = toPrincipalResponse(everybodyElse);
  return {
    is_allowed,
    do_rules_allow,
    mode,
    is_superuser: false,
    principals: [everybody],
    deciding_rule,
    reason: reasonOf(
      { ...question, principals: ['all other principals'] },
      { mode, isSuperuser: false, permission: everybodyElse.rule?.permission },
    ),
    near_rules: [],
    who: [toPrincipalResponse(everybodyElse), ...named.map(toPrincipalResponse)],
    who_total: namedCount + 1,
  };
}

/** A cluster never has both; if it had, rules would be enforced. */
function modeIn(configs: Readonly<Record<string, string>>): Explained['mode'] {
  if (clusterConfigValue('service.acls.enabled', configs)) return 'enforced';
  return clusterConfigValue('service.acl.shadowing.enabled', configs) ? 'shadow' : 'off';
}

interface Grounds {
  readonly mode: Explained['mode'];
  readonly isSuperuser: boolean;
  readonly permission: 'ALLOW' | 'DENY' | undefined;
}

function reasonOf(question: AclQuestion, { mode, isSuperuser, permission }: Grounds): string {
  const { principals, operation, resourceType, resourceName } = question;
  const request = `${principals[0]} ${operation} on ${resourceType} ${resourceName}`;
  const ruling =
    permission === undefined
      ? `No rule matches ${request}, and requests that no rule allows are denied.`
      : `A rule ${permission === 'ALLOW' ? 'allows' : 'denies'} ${request}.`;
  if (mode === 'off') return `ACLs are off: all requests are allowed. If ACLs were enforced: ${ruling}`;
  if (isSuperuser)
    return `${principals[0]} is a superuser, to whom no rule applies. For other users: ${ruling}`;
  return mode === 'shadow'
    ? `ACLs are in shadow mode, which denies nothing. If ACLs were enforced: ${ruling}`
    : ruling;
}
