import { checkBucket } from './cluster/check-bucket.ts';
import { checkReplicas } from './cluster/check-replicas.ts';
import type { FaultCluster } from './cluster/cluster.ts';
import { type Fault, faults } from './faults.ts';
import { cutsOffControlPlanes, cutsRegions } from './network-faults.ts';
import { startLibrdkafka, startLibrdkafkaCopiers } from './workloads/librdkafka.ts';
import { startPipelines } from './workloads/pipelines.ts';
import { startLightningAttempts, startSingleAttempts } from './workloads/single-attempts.ts';
import {
  startStreams,
  startTransactions,
  type Workload,
  type WorkloadContext,
} from './workloads/workloads.ts';

export interface Scenario {
  readonly name: string;
  readonly fault: Fault;
  readonly workloads: readonly ((context: WorkloadContext) => Promise<Workload>)[];
  /** SQLite by default. */
  readonly database?: 'postgres';
  /** What is stored on a small disk, if the scenario needs one. */
  readonly smallDisk?: 'bucket' | 'journal';
  /** Buckets of `service_multi://`; one bucket by default. */
  readonly bucketCount?: number;
  readonly needsLibrdkafka?: true;
  /** Whether agents run managed pipelines. */
  readonly hasPipelines?: true;
  /**
   * Network namespaces: `regions` are three, each with a control plane and an agent; `zones` are three with an agent
   * each, and one with the control planes.
   */
  readonly network?: 'regions' | 'zones';
  /** Flags of all agents. */
  readonly agentFlags?: readonly string[];
  /** Its faults take longer than those of others. */
  readonly troubleMsMin?: number;
  /** Configs of the cluster. */
  readonly configs?: Readonly<Record<string, string>>;
  /** Called when all clients have finished. They read everything once more afterwards. */
  readonly check?: (cluster: FaultCluster, withinMs: number) => Promise<void>;
}

const own = [startStreams, startTransactions];

export const scenarios: readonly Scenario[] = [
  { name: 'agents-killed', fault: faults.killsAgents, workloads: own },
  { name: 'agents-paused', fault: faults.pausesAgents, workloads: own },
  { name: 'leader-killed', fault: faults.killsLeader, workloads: own },
  { name: 'leader-paused', fault: faults.pausesLeader, workloads: own },
  {
    name: 'agents-and-leaders-killed',
    fault: faults.killsAgentsAndLeaders,
    workloads: own,
    database: 'postgres',
  },
  {
    name: 'lightning-killed',
    fault: faults.killsAgentsBesideLeaders,
    workloads: [startLightningAttempts],
    database: 'postgres',
    configs: { 'service.default.topic.type': 'lightning' },
    // Longer than it takes until others commit what a killed agent left.
    troubleMsMin: 50_000,
  },
  { name: 'control-planes-away', fault: faults.losesControlPlanes, workloads: own },
  { name: 'standby-harmed', fault: faults.harmsStandby, workloads: own },
  { name: 'postgres-crashed', fault: faults.crashesDatabase, workloads: own, database: 'postgres' },
  { name: 'postgres-paused', fault: faults.pausesDatabase, workloads: own, database: 'postgres' },
  { name: 'bucket-fails', fault: faults.failsBucket, workloads: own },
  { name: 'bucket-hangs', fault: faults.hangsBucket, workloads: own },
  { name: 'bucket-tears', fault: faults.tearsBucket, workloads: own },
  {
    name: 'one-of-three-buckets',
    fault: faults.losesOneBucket,
    workloads: own,
    bucketCount: 3,
    check: checkReplicas,
  },
  { name: 'client-network', fault: faults.harmsClientNetwork, workloads: own },
  { name: 'inner-network', fault: faults.harmsInnerNetwork, workloads: own },
  { name: 'bucket-disk-full', fault: faults.fillsDisk, workloads: own, smallDisk: 'bucket' },
  { name: 'journal-disk-full', fault: faults.fillsDisk, workloads: own, smallDisk: 'journal' },
  {
    name: 'files-age',
    fault: faults.agesFiles,
    workloads: own,
    configs: { 'service.file.delete.delay.ms': '60000', 'service.dead.file.scan.interval.ms': '60000' },
    check: checkBucket,
  },
  { name: 'clocks-jump', fault: faults.setsClocks, workloads: own },
  {
    name: 'librdkafka',
    fault: faults.killsAgents,
    workloads: [startLibrdkafka],
    needsLibrdkafka: true,
  },
  {
    name: 'librdkafka-copiers',
    fault: faults.killsAgentsAndLeaders,
    workloads: [startLibrdkafkaCopiers],
    database: 'postgres',
    needsLibrdkafka: true,
  },
  {
    name: 'pipelines',
    fault: faults.harmsPipelines,
    workloads: [startPipelines],
    hasPipelines: true,
  },
  {
    name: 'regions-cut-off',
    fault: cutsRegions,
    workloads: own,
    database: 'postgres',
    network: 'regions',
    troubleMsMin: 30_000,
  },
  {
    name: 'ripcord-cut-off',
    fault: cutsOffControlPlanes,
    workloads: [startSingleAttempts],
    network: 'zones',
    agentFlags: ['-enableRipcord'],
    troubleMsMin: 60_000,
  },
  { name: 'anything', fault: faults.doesAnything, workloads: own },
];
