import { type Clock, Metrics, silentLog, systemClock } from '@weir/core';
import { type Journal, type JournalHub, openJournals } from '@weir/journal';
import { ClusterNode, type ClusterNodeOptions } from '../src/leader/cluster-node.ts';

interface MemoryNodeOptions extends Partial<Pick<ClusterNodeOptions, 'self'>> {
  readonly clusterId: string;
  /** `memory://…`; one of its own if absent. Nodes of one database share their clusters. */
  readonly databaseUrl?: string | undefined;
  readonly clock?: Clock | undefined;
}

interface MemoryNode {
  readonly hub: JournalHub;
  readonly journal: Journal;
  readonly node: ClusterNode;
}

/** A node over a journal in memory. The first one of a database leads once it has started. */
export function memoryNode({
  clusterId,
  databaseUrl = `memory://${clusterId}`,
  self = { id: 'leader', url: '' },
  clock = systemClock,
}: MemoryNodeOptions): MemoryNode {
  const hub = openJournals(databaseUrl, { clock, log: silentLog });
  const journal = hub.journal(clusterId);
  const deps = { clock, log: silentLog, metrics: new Metrics() };
  return { hub, journal, node: new ClusterNode({ clusterId, journal, self, ...deps }) };
}
