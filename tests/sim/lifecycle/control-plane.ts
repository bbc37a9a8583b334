import { type CallName, ClusterUnavailable, callOn } from '@weir/cluster';
import { ClusterNode } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { aroundStore } from '@weir/storage';
import { backupMetrics } from '../../../packages/controlplane/src/backup/backup-metrics.ts';
import { ClusterBackup } from '../../../packages/controlplane/src/backup/cluster-backup.ts';
import { type MemoryDatabase, MemoryTables } from '../../../packages/journal/src/memory-tables.ts';
import { TableHub } from '../../../packages/journal/src/table-journal.ts';
import { ClusterMachine } from '../../../packages/machine/src/machine.ts';
import { freshId } from '../control-plane.ts';
import { SimProcess } from '../sim-process.ts';
import type { LifeDeps } from './deps.ts';
import type { Sabotage } from './sabotage.ts';
import { backupIntervalMs, clusterId, leaderSkewMsMax, leaderTiming, lifeLimits } from './setting.ts';

interface ControlPlaneOptions {
  readonly id: string;
  readonly database: MemoryDatabase;
  readonly bucket: ObjectStore;
  readonly sabotage: Sabotage;
  /** Called after each execution of a command by a machine of this process. */
  readonly onExecuted: (machine: ClusterMachine, kind: string, nowMs: number) => void;
}

/** Small, so that most takeovers begin with a snapshot. */
const snapshotBytesMin = 8 * 1024;

/** A control-plane process with its backup: the real node over the shared journal. */
export class LifeControlPlane {
  readonly process: SimProcess;
  readonly node: ClusterNode;
  /** The machine that was made last. */
  machine: ClusterMachine | undefined;
  readonly #backup: ClusterBackup;
  readonly #calls = new Set<(error: Error) => void>();

  constructor(world: LifeDeps, { id, database, bucket, sabotage, onExecuted }: ControlPlaneOptions) {
    this.process = new SimProcess(world);
    const { log, metrics, random } = world;
    const skewMs = Math.floor((random.next() - 0.5) * 2 * leaderSkewMsMax);
    const clock = { ...this.process.clock, nowMs: () => world.clock.nowMs() + skewMs };
    const limits = { ...lifeLimits, ...sabotage.limits };
    const watched = (machine: ClusterMachine, isRestored: boolean) => {
      this.machine = machine;
      sabotage.machine?.(machine, isRestored);
      const execute = machine.execute.bind(machine);
      machine.execute = (command, nowMs, requestId) => {
        const changed = (sabotage.command?.(command) ?? command) as typeof command;
        const execution = execute(changed, nowMs, requestId);
        onExecuted(machine, command.kind, nowMs);
        return execution;
      };
      return machine;
    };
    const hub = new TableHub(new MemoryTables(database), clock);
    const journal = this.process.journal(hub.journal(clusterId));
    this.node = new ClusterNode({
      clusterId,
      journal,
      self: { id, url: `http://${id}` },
      clock,
      log: log.with({ node: id }),
      metrics,
      timing: leaderTiming,
      snapshotBytesMin,
      machines: {
        empty: (name) => watched(ClusterMachine.empty(name, limits), false),
        restore: (bytes) => watched(ClusterMachine.restore(bytes, limits), true),
      },
      freshId: () => freshId(random),
    });
    this.#backup = new ClusterBackup({
      clusterId,
      node: this.node,
      journal,
      store: aroundStore(bucket, ({ run, signal }) => this.process.answer(run(signal))),
      intervalMs: backupIntervalMs,
      clock,
      log,
      metrics: backupMetrics(metrics, clusterId),
    });
    this.node.start();
  }

  get leads(): boolean {
    return this.process.isAlive && this.node.role === 'leader';
  }

  /** Makes a call, which fails when the process dies. */
  call(name: CallName, args: readonly unknown[], requestId: string | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const port = requestId === undefined ? this.node : this.node.forRequest(requestId);
      this.#calls.add(reject);
      const answered = (deliver: () => void) => {
        this.#calls.delete(reject);
        this.process.whenRunning(deliver);
      };
      callOn(port, name, args).then(
        (answer) => answered(() => resolve(answer)),
        (error) => answered(() => reject(error)),
      );
    });
  }

  kill(): void {
    this.process.kill();
    for (const reject of this.#calls) reject(new ClusterUnavailable('the connection broke'));
    this.#calls.clear();
  }

  /** Stores the last entries in the bucket and hands over. */
  async stop(): Promise<void> {
    await this.#backup.end();
    await this.node.stop();
    this.kill();
  }
}
