import { Producers } from './commit/producers.ts';
import { RecentFiles } from './commit/recent-files.ts';
import { Records } from './kv/key-value-store.ts';
import { FileTable } from './log/file-table.ts';
import { PointerPool } from './log/pointer-pool.ts';
import { Offsets } from './offsets/offsets.ts';
import { RecentReplies } from './replies/recent-replies.ts';
import { Topics } from './topics/topics.ts';
import { Transactions } from './transactions/transactions.ts';

/** Everything that a cluster remembers. Parts of the machine read it to decide, and change it only as entries say. */
export class ClusterState {
  readonly clusterId: string;
  /** The time of the last entry. It never runs back, so that what was written later is never older. */
  nowMs = 0;
  /** Not 0, so that a field that somebody forgot to fill is no producer. */
  nextProducerId = 1;
  clusterConfigs: Readonly<Record<string, string>> = {};
  readonly pointers = new PointerPool();
  readonly files = new FileTable();
  readonly topics = new Topics(this.pointers);
  readonly producers = new Producers();
  readonly recentFiles = new RecentFiles();
  readonly recentRequests = new RecentReplies();
  readonly records = new Records();
  readonly offsets = new Offsets();

  readonly transactions = new Transactions();

  constructor(clusterId: string) {
    this.clusterId = clusterId;
  }
}
