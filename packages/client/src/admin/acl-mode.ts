import { Failure } from '@weir/core';
import { apis } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { describeConfigs } from './configs.ts';

/** The cluster config that enables enforcement. */
const aclSwitch = 'service.acls.enabled';

/** What to do while ACLs are not enforced. */
export const aclSwitchAdvice = `enforce them with weir cli alter-broker-configs -config ${aclSwitch}=true`;

/** Whether ACLs are enforced; `undefined` if the cluster does not say, as when the client may not read its configs. */
export async function areAclsEnforced(cluster: KafkaCluster): Promise<boolean | undefined> {
  try {
    if (!(await cluster.bootstrap()).offers(apis.DescribeConfigs)) return undefined;
    const configs = await describeConfigs(cluster, { kind: 'brokers' });
    const value = configs.find(({ name }) => name === aclSwitch)?.value;
    return value === undefined || value === null ? undefined : value === 'true';
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
