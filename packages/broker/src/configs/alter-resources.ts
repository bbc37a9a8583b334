import {
  type AgentDescription,
  type AlterConfigsResult,
  type ConfigsToAlter,
  configCatalogues,
} from '@weir/cluster';
import { internalTopicProblem, isInternalTopic } from '@weir/core';
import { type ErrorName, errors } from '@weir/wire';
import { configsOfBroker } from '../cluster/broker-configs.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { callInParts } from '../cluster-calls/call-in-parts.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { tooManyConfigsProblem, tooManyProblem } from '../requests/entry-limit.ts';
import type { RequestContext } from '../requests/handler.ts';
import { mapInTurns } from '../requests/turns.ts';
import { brokerProblem, configDenial, configResourceType, unknownType } from './config-resources.ts';

/** A resource whose configs should change, as in both requests for it. */
interface ResourceToAlter {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly replacesAll: boolean;
  /** `undefined` if a change has an unknown operation. */
  readonly changes: ConfigsToAlter['changes'] | undefined;
}

/**
 * Changes configs, all resources in one call to the control plane, or parts of a long list of them, and waits until
 * this agent has received the change.
 *
 * - The empty broker name changes the configs of the cluster, a node id those of one broker. A config that must be the
 *   same for all brokers is INVALID_REQUEST for one of them, and so are unknown brokers and loggers.
 * - An internal topic is INVALID_TOPIC_EXCEPTION: its configs follow from those of the cluster.
 * - If a request has more resources than allowed, all of them are INVALID_REQUEST. A resource that is named twice or
 *   has more configs than allowed is INVALID_REQUEST too.
 * - Missing permissions are reported before any other error.
 * - If the control plane is unavailable the answer is NOT_CONTROLLER, upon which admin clients refresh metadata and
 *   retry.
 */
export async function alterResources(
  resources: readonly ResourceToAlter[],
  validateOnly: boolean,
  context: RequestContext,
  self: AgentDescription,
) {
  const { cluster, access, clock } = context;
  const tooMany = tooManyProblem(resources.length);
  const counts = new Map<string, number>();
  const checked = await mapInTurns(
    resources,
    clock,
    (resource): ConfigsToAlter | Refusal => {
      if (tooMany !== undefined) return { error: 'INVALID_REQUEST', message: tooMany };
      const denial = configDenial(resource, 'ALTER_CONFIGS', access);
      if (denial !== undefined) return { error: denial, message: errors[denial].message };
      const one = check(resource, self, cluster);
      if (isAlterable(one)) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
      return one;
    },
    (one) => (isAlterable(one) ? costOf(one) : 1),
  );
  // Parts of the list do not know each other.
  for (const [index, one] of checked.entries()) {
    if (isAlterable(one) && counts.get(keyOf(one))! > 1) checked[index] = namedTwice(one);
  }
  const toAlter = checked.filter(isAlterable);
  const results = await callInParts(toAlter, {
    clock,
    costOf,
    call: (part) => cluster.port.alterConfigs(part, { validateOnly }),
  });
  if (!validateOnly) {
    await waitForView(context, () =>
      toAlter.every((altered, index) => isVisible(cluster, altered, results[index])),
    );
  }
  let next = 0;
  return resources.map(({ resourceType, resourceName }, index) => {
    const one = checked[index]!;
    const answer = (error: ErrorName, message: string | null) => ({
      errorCode: errors[error].code,
      errorMessage: message,
      resourceType,
      resourceName,
    });
    if (!isAlterable(one)) return answer(one.error, one.message);
    const result = results[next++];
    return result === undefined
      ? answer('NOT_CONTROLLER', errors.NOT_CONTROLLER.message)
      : answer(result.error, result.message);
  });
}

interface Refusal {
  readonly error: ErrorName;
  readonly message: string;
}

function isAlterable(one: ConfigsToAlter | Refusal): one is ConfigsToAlter {
  return !('error' in one);
}

function costOf({ changes }: ConfigsToAlter): number {
  return 1 + changes.length;
}

function keyOf({ kind, name }: ConfigsToAlter): string {
  return `${kind}/${name}`;
}

function namedTwice({ kind, name }: ConfigsToAlter): Refusal {
  const { noun } = configCatalogues[kind];
  return { error: 'INVALID_REQUEST', message: `Duplicate ${noun} ${name} in the request.` };
}

/** Returns the change for the control plane, or what is wrong. */
function check(
  { resourceType, resourceName, replacesAll, changes }: ResourceToAlter,
  self: AgentDescription,
  cluster: ClusterView,
): ConfigsToAlter | Refusal {
  const invalid = (message: string): Refusal => ({ error: 'INVALID_REQUEST', message });
  if (changes === undefined) return invalid('unknown config operation; use SET, DELETE, APPEND or SUBTRACT');
  const tooMany = tooManyConfigsProblem(changes.length);
  if (tooMany !== undefined) return invalid(tooMany);
  const names = changes.map(({ name }) => name);
  if (new Set(names).size < names.length) return invalid('a config is named twice');
  const unset = changes.find(({ operation, value }) => operation !== 'delete' && value === null);
  if (unset !== undefined) return invalid(`${unset.name} has no value; use the DELETE operation to unset it`);
  const unlisted = kindOf(resourceType) && unlistedName(changes, kindOf(resourceType)!);
  if (unlisted !== undefined) {
    const message = `${unlisted} is not a list config; APPEND and SUBTRACT are not allowed`;
    return { error: 'INVALID_CONFIG', message };
  }
  switch (resourceType) {
    case configResourceType.topic:
      if (resourceName === '')
        return invalid('topics have no configs in common; those of the cluster are theirs');
      if (isInternalTopic(resourceName))
        return { error: 'INVALID_TOPIC_EXCEPTION', message: internalTopicProblem(resourceName) };
      return { kind: 'topic', name: resourceName, replacesAll, changes };
    case configResourceType.group:
      return { kind: 'group', name: resourceName, replacesAll, changes };
    case configResourceType.clientMetrics:
      return { kind: 'clientMetrics', name: resourceName, replacesAll, changes };
    case configResourceType.broker: {
      if (resourceName === '') return { kind: 'cluster', name: '', replacesAll, changes };
      const problem = brokerProblem(resourceName, self, cluster);
      return problem === undefined
        ? { kind: 'broker', name: resourceName, replacesAll, changes }
        : invalid(problem);
    }
    case configResourceType.brokerLogger:
      return invalid('broker loggers are not supported');
    default:
      return invalid(unknownType(resourceType));
  }
}

/** Kinds whose operations are checked before their names, as in Kafka. */
function kindOf(resourceType: number): 'topic' | 'group' | 'clientMetrics' | undefined {
  if (resourceType === configResourceType.topic) return 'topic';
  if (resourceType === configResourceType.group) return 'group';
  return resourceType === configResourceType.clientMetrics ? 'clientMetrics' : undefined;
}

/** The first config that something is appended to or subtracted from, and that is no list. */
function unlistedName(
  changes: ConfigsToAlter['changes'],
  kind: 'topic' | 'group' | 'clientMetrics',
): string | undefined {
  const { rows } = configCatalogues[kind];
  return changes.find(({ name, operation }) => {
    if (operation === 'set' || operation === 'delete') return false;
    return !Object.hasOwn(rows, name) || rows[name]!.type.kafkaType !== 'LIST';
  })?.name;
}

function isVisible(
  cluster: ClusterView,
  { kind, name }: ConfigsToAlter,
  result: AlterConfigsResult | undefined,
): boolean {
  const configs = result?.configs;
  if (configs === undefined) return true;
  switch (kind) {
    case 'topic': {
      const topic = cluster.topicByName(name);
      return topic === undefined || isEqual(topic.configs, configs);
    }
    case 'cluster':
      return isEqual(cluster.clusterConfigs(), configs);
    case 'broker':
      return isEqual(configsOfBroker(cluster, name), configs);
    case 'group':
    case 'clientMetrics':
      return true;
  }
}

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
