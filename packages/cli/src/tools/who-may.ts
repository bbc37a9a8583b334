import { type AclResponse, aclSwitchAdvice, areAclsEnforced, describeAcls } from '@weir/client';
import { AclIndex, principalCalled } from '@weir/cluster';
import type { AccessCredential, PrincipalAccess, WhoMay } from '@weir/controlplane/who-may';
import { everybody, unnamedHost, whoMay } from '@weir/controlplane/who-may';
import {
  type Acl,
  type AclOperation,
  aclOperations,
  clusterResourceName,
  type KafkaResourceType,
  type NeededOperation,
  operationsOfResource,
} from '@weir/core';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { loopTurn } from '../loop-turn.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

type Values = CommandValues<'cli who-may'>;

/** Shows which principals may do what on a resource, and which rule decides. Agents decide with the same code. */
export const whoMayTool: Handler<'cli who-may'> = async (values, deps) => {
  const resource = resourceOf(values);
  const operations = operationsOf(values, resource.resourceType);
  const { acls, isEnforced } = await onCluster(values, deps, async (cluster) => ({
    acls: await describeAcls(cluster, { ...resource, patternType: 'MATCH' }),
    isEnforced: await areAclsEnforced(cluster),
  }));
  const credentials = await knownCredentials(values, deps);
  const rules = acls.filter(isKnownAcl);
  if (rules.length < acls.length)
    deps.output.err(
      `weir cli who-may: warning: ${acls.length - rules.length} ACLs are unknown to this release\n`,
    );
  const host = values.host ?? unnamedHost;
  const isHostGiven = values.host !== undefined;
  const byOperation = new Map<NeededOperation, WhoMay>();
  for (const operation of operations) {
    const question = { ...resource, operation, host, isHostGiven };
    byOperation.set(operation, await whoMay(rules, question, credentials ?? [], () => loopTurn(deps.clock)));
  }
  const index = AclIndex.of(rules);
  const principals =
    (values.principal ?? []).length === 0
      ? allPrincipals(byOperation)
      : values.principal!.map((principal) => {
          const known = principalCalled(principal, credentials ?? []);
          return operationsOfPrincipal(known.principal, byOperation, (operation) => ({
            principal: known.principal,
            isSuperuser: known.isSuperuser,
            otherHosts: [],
            ...index.decide({ ...resource, operation, host, principals: known.names }),
          }));
        });
  const leftOff = Math.max(
    ...[...byOperation.values()].map(({ named, namedCount }) => namedCount - named.length),
  );
  return printResult(values, deps, {
    json: {
      ...resource,
      areAclsEnforced: isEnforced ?? null,
      areSuperusersKnown: credentials !== undefined,
      principals: principals.map(jsonPrincipal),
      leftOff,
    },
    text: () =>
      [
        ...notes(resource, isEnforced, credentials === undefined),
        table(['PRINCIPAL', 'MAY', 'OPERATIONS', 'WHY'], principals.flatMap(rowsOf)),
        ...(leftOff === 0 ? [] : [`and ${leftOff} more principals; show them with -principal\n`]),
      ].join(''),
  });
};

interface Resource {
  readonly resourceType: KafkaResourceType;
  readonly resourceName: string;
}

/** The rules have checked that exactly one is named. */
function resourceOf(values: Values): Resource {
  if (values.topic !== undefined) return { resourceType: 'TOPIC', resourceName: values.topic };
  if (values.group !== undefined) return { resourceType: 'GROUP', resourceName: values.group };
  const transactionalId = values['transactional-id'];
  if (transactionalId !== undefined)
    return { resourceType: 'TRANSACTIONAL_ID', resourceName: transactionalId };
  return { resourceType: 'CLUSTER', resourceName: clusterResourceName };
}

function operationsOf(
  { operation: wanted = [] }: Values,
  type: KafkaResourceType,
): readonly NeededOperation[] {
  const all: readonly NeededOperation[] = operationsOfResource[type];
  const isAll = wanted.length === 0 || wanted.includes('ALL');
  return isAll ? all : all.filter((operation) => wanted.includes(operation));
}

/** The Kafka protocol does not say who is a superuser, and which names a credential has; the API does. */
async function knownCredentials(
  values: Values,
  deps: Deps,
): Promise<readonly AccessCredential[] | undefined> {
  if (values.apiURL === undefined) return undefined;
  const [{ apiClient, orFailure }, { clusterId }] = await Promise.all([
    import('../api-client.ts'),
    import('../api-cluster.ts'),
  ]);
  const client = apiClient(values, deps);
  const id = await clusterId(client, values.cluster);
  const listed = await orFailure(client.call('list_virtual_cluster_credentials', { virtual_cluster_id: id }));
  return listed.credentials.map(({ name, username, is_cluster_superuser: isSuperuser }) => ({
    name,
    username,
    isSuperuser,
  }));
}

function isKnownAcl(acl: AclResponse): acl is Acl {
  return !Object.values(acl).some((word) => /^UNKNOWN \(\d+\)$/.test(word)) && acl.operation in aclOperations;
}

/** What one principal may do. */
interface PrincipalOperations {
  readonly principal: string;
  readonly isSuperuser: boolean;
  readonly operations: readonly { readonly operation: AclOperation; readonly access: PrincipalAccess }[];
}

/** Every principal that a rule about any of the operations names, and all others together as the last one. */
function allPrincipals(byOperation: ReadonlyMap<NeededOperation, WhoMay>): readonly PrincipalOperations[] {
  const named = new Set(
    [...byOperation.values()].flatMap((found) => found.named.map(({ principal }) => principal)),
  );
  // A principal that no rule about an operation names is one of all others.
  return [...named, everybody].map((principal) =>
    operationsOfPrincipal(principal, byOperation, (operation) => byOperation.get(operation)!.everybodyElse),
  );
}

function operationsOfPrincipal(
  principal: string,
  byOperation: ReadonlyMap<NeededOperation, WhoMay>,
  otherwise: (operation: NeededOperation) => PrincipalAccess,
): PrincipalOperations {
  const operations = [...byOperation].map(([operation, { named }]) => ({
    operation,
    access: named.find((one) => one.principal === principal) ?? otherwise(operation),
  }));
  return { principal, isSuperuser: operations.some(({ access }) => access.isSuperuser), operations };
}

function jsonPrincipal({ principal, isSuperuser, operations }: PrincipalOperations) {
  return {
    principal,
    isSuperuser,
    operations: operations.map(({ operation, access: { isAllowed, rule, otherHosts } }) => ({
      operation,
      isAllowed: isSuperuser || isAllowed,
      rule: rule ?? null,
      otherHosts,
    })),
  };
}

/** One row for all operations that are decided in the same way. */
function rowsOf({ principal, isSuperuser, operations }: PrincipalOperations): readonly (readonly string[])[] {
  const shown = principal === everybody ? 'all others' : principal;
  const rows = new Map<
    string,
    { readonly may: string; readonly why: string; readonly operations: string[] }
  >();
  for (const { operation, access } of operations) {
    const may = isSuperuser || access.isAllowed ? 'yes' : 'no';
    const why = isSuperuser ? 'superuser: ACLs do not apply' : reasonOf(access);
    const row = rows.get(`${may} ${why}`) ?? { may, why, operations: [] };
    row.operations.push(operation);
    rows.set(`${may} ${why}`, row);
  }
  return [...rows.values()].map(({ may, why, operations: some }) => [shown, may, some.join(','), why]);
}

function reasonOf({ rule, isAllowed, otherHosts }: PrincipalAccess): string {
  const others =
    otherHosts.length === 0 ? '' : `; ${isAllowed ? 'but not' : 'but'} from ${otherHosts.join(', ')}`;
  if (rule === undefined) return `no rule: denied${others}`;
  const { permission, principal, operation, resourceType, resourceName, patternType, host } = rule;
  const from = host === '*' ? '' : ` from ${host}`;
  const prefixed = patternType === 'PREFIXED' ? `${resourceName}...` : resourceName;
  return `${permission} ${principal} ${operation} ${resourceType} ${prefixed}${from}${others}`;
}

/** What a reader must know before the table. */
function notes(
  { resourceType, resourceName }: Resource,
  isEnforced: boolean | undefined,
  areSuperusersUnknown: boolean,
): readonly string[] {
  const mode =
    isEnforced === undefined
      ? 'unknown whether ACLs are enforced'
      : isEnforced
        ? 'ACLs are enforced'
        : `ACLs are not enforced; this is what they would decide; ${aclSwitchAdvice}`;
  const unknown =
    'the credentials are unknown: superusers are allowed everything, and rules may name a credential by its username; set -api-url and -api-key to include both';
  return [
    `${escapeControls(`${resourceType} ${resourceName}: ${mode}`)}\n`,
    ...(areSuperusersUnknown ? [`${unknown}\n`] : []),
  ];
}
