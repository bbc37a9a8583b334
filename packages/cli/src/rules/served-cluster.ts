import { clusterKind } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

/** An agent of another kind of cluster would answer clients that do not belong there. */
export function checkServedCluster({
  defaultVirtualClusterID: clusterId,
}: Pick<FlagValues, 'defaultVirtualClusterID'>): Violation | undefined {
  if (clusterKind(clusterId) !== 'data lake') return undefined;
  const rule = 'this release has no tables; use a Kafka cluster or a schema registry';
  return forbidden(['defaultVirtualClusterID'], rule).problem;
}

export const servedClusterRule: Rule = {
  statement:
    'An agent serves a Kafka cluster, or the registry of a schema registry cluster (vci_sr_) and no Kafka. It refuses ' +
    'the ids of data lake clusters (vci_dl_).',
  flags: ['defaultVirtualClusterID'],
  commands: ['agent'],
  check: checkServedCluster,
};
