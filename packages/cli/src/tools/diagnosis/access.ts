/** The steps that check the client's permissions, after it has logged in. */

import type { KafkaCluster } from '@weir/client';
import { aclSwitchAdvice, areAclsEnforced, KafkaRequestFailed } from '@weir/client';
import { type AclResourceType, aclOperations, type NeededOperation, operationsOfResource } from '@weir/core';
import { apis, errors } from '@weir/wire';
import { explained, failed, note, ok, type Step, type StepName, skipped } from './step.ts';

/** The value for permissions that were not requested, or that the broker does not return. */
const notReported = -2147483648;

/** The operations on a resource that a client has, from the bits of the protocol, and those that it lacks. */
interface Permissions {
  readonly allowed: readonly NeededOperation[];
  readonly denied: readonly NeededOperation[];
}

function permissionsOf(type: AclResourceType, bits: number): Permissions {
  const all: readonly NeededOperation[] = operationsOfResource[type];
  const isAllowed = (operation: NeededOperation) => (bits & (1 << aclOperations[operation])) !== 0;
  return {
    allowed: all.filter(isAllowed),
    denied: all.filter((operation) => !isAllowed(operation)),
  };
}

/** The client's permissions on the cluster. Most clients need none, so a denial is only a note. */
export async function clusterAccess(cluster: KafkaCluster): Promise<Step> {
  const step: StepName = 'Cluster access';
  try {
    const connection = await cluster.bootstrap();
    if (!connection.offers(apis.DescribeCluster)) return skipped(step, 'not supported by the broker');
    const answer = await connection.request(
      apis.DescribeCluster,
      { includeClusterAuthorizedOperations: true },
      { timeoutMs: cluster.timeoutMs },
    );
    if (answer.errorCode !== errors.NONE.code) {
      throw new KafkaRequestFailed('DescribeCluster', answer.errorCode, answer.errorMessage);
    }
    if (answer.clusterAuthorizedOperations === notReported)
      return skipped(step, 'not reported by the broker');
    const { allowed, denied } = permissionsOf('CLUSTER', answer.clusterAuthorizedOperations);
    if (denied.length === 0)
      return (await areAclsEnforced(cluster)) === false
        ? note(step, 'all operations are allowed: ACLs are not enforced', aclSwitchAdvice)
        : ok(step, 'all operations are allowed');
    return note(
      step,
      inWords({ allowed, denied }),
      'needed for administration only; allow them with weir cli create-acls -resource-type CLUSTER',
    );
  } catch (error) {
    const { detail, advice } = explained(error);
    return failed(step, detail, advice);
  }
}

/** The client's permissions on one topic. A client that may neither read nor write cannot use it. */
export async function topicAccess(cluster: KafkaCluster, topic: string): Promise<Step> {
  const step: StepName = 'Topic access';
  try {
    const connection = await cluster.bootstrap();
    const { topics } = await connection.request(
      apis.Metadata,
      (version) => ({
        topics: [{ name: topic }],
        ...(version >= 4 ? { allowAutoTopicCreation: false } : {}),
        ...(version >= 8 ? { includeTopicAuthorizedOperations: true } : {}),
      }),
      { timeoutMs: cluster.timeoutMs },
    );
    const [found] = topics;
    const code = found?.errorCode ?? errors.UNKNOWN_TOPIC_OR_PARTITION.code;
    if (found === undefined || code !== errors.NONE.code) return refusedTopic(topic, code);
    if (found.topicAuthorizedOperations === notReported) {
      return skipped(step, `not reported by the broker for topic ${topic}`);
    }
    const permissions = permissionsOf('TOPIC', found.topicAuthorizedOperations);
    const description = `topic ${topic}: ${inWords(permissions)}`;
    if (permissions.denied.length === 0) return ok(step, description);
    const canWork = permissions.allowed.includes('READ') || permissions.allowed.includes('WRITE');
    const advice = `allow more with weir cli create-acls -resource-type TOPIC -resource-name ${topic}`;
    return canWork ? note(step, description, advice) : failed(step, description, advice);
  } catch (error) {
    const { detail, advice } = explained(error);
    return failed(step, detail, advice);
  }
}

function refusedTopic(topic: string, code: number): Step {
  const { message } = new KafkaRequestFailed(`topic ${topic}`, code);
  const isDenied = code === errors.TOPIC_AUTHORIZATION_FAILED.code;
  return failed(
    'Topic access',
    message,
    isDenied
      ? `the client needs DESCRIBE, READ or WRITE: weir cli create-acls -resource-type TOPIC -resource-name ${topic}`
      : 'check the spelling with weir cli list-topics; a client without DESCRIBE on the topic gets the same error',
  );
}

function inWords({ allowed, denied }: Permissions): string {
  if (denied.length === 0) return 'all operations are allowed';
  return `allowed: ${allowed.join(', ') || 'none'}; denied: ${denied.join(', ')}`;
}
