import { apis } from '@weir/wire';
import { Failure } from '../failure.ts';
import type { KafkaCluster } from './cluster.ts';
import { describeConfigs } from './configs.ts';

/** The config of the cluster that switches enforcement on. */
const aclSwitch = 'service.acls.enabled';

/** What to do while ACLs are off. */
export const aclSwitchAdvice = `weir cli alter-broker-configs -config ${aclSwitch}=true enforces them`;

/** Whether ACLs decide anything; nothing where the cluster does not say, as when the client may not see its configs. */
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
