import type { FlagValues } from '../flags/catalogue.ts';
import { type ClusterKind, clusterKind } from './cluster-kind.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

const unserved: Readonly<Record<Exclude<ClusterKind, 'kafka'>, string>> = {
  'schema registry': 'this release has no schema registry, and an agent serves Kafka clusters only',
  'data lake': 'this release makes no tables, and an agent serves Kafka clusters only',
};

/** An agent of another kind of cluster would answer Kafka clients that do not belong there. */
export function checkServedCluster({
  defaultVirtualClusterID: clusterId,
}: Pick<FlagValues, 'defaultVirtualClusterID'>): Violation | undefined {
  const kind = clusterKind(clusterId);
  return kind === 'kafka' ? undefined : forbidden(['defaultVirtualClusterID'], unserved[kind]).problem;
}

export const servedClusterRule: Rule = {
  statement:
    'An agent serves Kafka clusters only; it refuses the ids of schema registry clusters (vci_sr_) and of data lake clusters (vci_dl_).',
  flags: ['defaultVirtualClusterID'],
  commands: ['agent'],
  check: checkServedCluster,
};
