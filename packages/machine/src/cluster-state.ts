import { Producers } from './commit/producers.ts';
import { RecentFiles } from './commit/recent-files.ts';
import { KeyValueStore } from './kv/key-value-store.ts';
import { FileTable } from './log/file-table.ts';
import { PointerPool } from './log/pointer-pool.ts';
import { Offsets } from './offsets/offsets.ts';
import { Registry } from './registry/registry.ts';
import { RecentReplies } from './replies/recent-replies.ts';
import { Topics } from './topics/topics.ts';
import { Transactions } from './transactions/transactions.ts';

/** The complete state of a cluster. Parts of the machine read it to decide, and change it only by applying entries. */
export class ClusterState {
  /** Changes only when the state becomes that of a clone. */
  clusterId: string;
  /** Time of the last entry. It never runs back, so later entries never have earlier times. */
  nowMs = 0;
  /** Not 0, so that an unset field is never a valid producer id. */
  nextProducerId = 1;
  clusterConfigs: Readonly<Record<string, string>> = {};
  readonly pointers = new PointerPool();
  readonly files = new FileTable();
  readonly topics = new Topics(this.pointers);
  readonly producers = new Producers();
  readonly recentFiles = new RecentFiles();
  readonly recentRequests = new RecentReplies();
  readonly kv = new KeyValueStore();
  readonly offsets = new Offsets();

  readonly transactions = new Transactions();
  readonly registry = new Registry();

  constructor(clusterId: string) {
    this.clusterId = clusterId;
  }
}
