import { clusterKind } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

type Values = Pick<FlagValues, 'defaultVirtualClusterID' | 'enableManagedPipelines' | 'roles' | 'bucketURL'>;

/** Pipelines of a data lake are its tables, which agents with the role jobs write. */
export function checkServedCluster(values: Values): Violation | undefined {
  const { defaultVirtualClusterID: clusterId, enableManagedPipelines, roles, bucketURL } = values;
  if (clusterKind(clusterId) !== 'data lake') return undefined;
  const rule = 'an agent of a data lake runs no managed pipelines; tables need the role jobs';
  if (enableManagedPipelines)
    return forbidden(['enableManagedPipelines', 'defaultVirtualClusterID'], rule).problem;
  if (roles.includes('pipelines')) return forbidden(['roles', 'defaultVirtualClusterID'], rule).problem;
  // Another process writes them.
  if (bucketURL?.buckets.some(({ scheme }) => scheme === 'mem'))
    return forbidden(['bucketURL', 'defaultVirtualClusterID'], 'tables cannot be in memory; use file://')
      .problem;
  return undefined;
}

export const servedClusterRule: Rule = {
  statement:
    'An agent serves a Kafka cluster, or the registry of a schema registry cluster (vci_sr_) and no Kafka, or it writes ' +
    'the tables of a data lake cluster (vci_dl_), in a bucket that is not mem://, and serves no Kafka and runs no pipelines.',
  flags: ['defaultVirtualClusterID', 'enableManagedPipelines', 'roles', 'bucketURL'],
  commands: ['agent'],
  check: checkServedCluster,
};
