import {
  type MigrationTask,
  migrationCopyKind,
  migrationSlotOf,
  migrationTopicsKind,
  readMigrationCopyTask,
  readMigrationTask,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { TenantAccess } from '@weir/cluster/outbound';
import { type Clock, Failure, type Log, type Metrics, pauseUnlessStopped, SecretMissing } from '@weir/core';
import type { MigrationConfiguration } from '@weir/migration/configuration';
import type { ByteBudget, MigrationEvent } from '@weir/migration/engine';
import { type JobContext, type JobKind, NeedsOperator } from '../job-kind.ts';
import { LeaderDestination, type MigrationPort, type MigrationView } from './leader-destination.ts';
import { migrationRows } from './migration-metrics.ts';

/** Something that happened to a migration. */
export interface MigrationLine extends MigrationEvent {
  readonly pipelineId: string;
  readonly pipelineName: string;
}

interface MigrationJobsOptions {
  readonly port: MigrationPort;
  readonly view: MigrationView;
  readonly copyPath: ConstructorParameters<typeof LeaderDestination>[0]['copyPath'];
  readonly readPath: ConstructorParameters<typeof LeaderDestination>[0]['readPath'];
  readonly agentId: string;
  readonly tenantAccess: TenantAccess;
  readonly onLine: (line: MigrationLine) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How often a slot says what it copies. The leader forgets it after a minute. */
const reportMs = 5_000;

/** The jobs of migrations on an agent. */
export class MigrationJobs {
  readonly topics: JobKind;
  readonly copy: JobKind;
  readonly #options: MigrationJobsOptions;
  /** By job: one that stops is waited for before another one of its place starts. */
  readonly #running = new Map<string, Promise<unknown>>();
  /** Of all copies of the agent. */
  #budget: ByteBudget | undefined;

  constructor(options: MigrationJobsOptions) {
    this.#options = options;
    const common = { category: 'orbit', isLasting: true } as const;
    this.topics = {
      ...common,
      kind: migrationTopicsKind,
      run: (bytes, context) => {
        const task = readMigrationTask(bytes);
        return this.#oneAtATime(`${task.pipelineId} topics`, () => this.#keepTopics(task, context));
      },
    };
    this.copy = {
      ...common,
      kind: migrationCopyKind,
      run: (bytes, context) => {
        const task = readMigrationCopyTask(bytes);
        return this.#oneAtATime(`${task.pipelineId} ${task.slot}`, () => this.#copySlot(task, context));
      },
    };
  }

  async #oneAtATime(place: string, run: () => Promise<string>): Promise<string> {
    const before = this.#running.get(place);
    const mine = Promise.resolve(before)
      .catch(() => undefined)
      .then(run);
    this.#running.set(place, mine);
    try {
      return await mine;
    } finally {
      if (this.#running.get(place) === mine) this.#running.delete(place);
    }
  }

  async #keepTopics(task: MigrationTask, { signal, progress }: JobContext): Promise<string> {
    const { metrics, clock } = this.#options;
    const { TopicsRun } = await import('@weir/migration/engine');
    const configuration = await configurationOf(task);
    const source = await this.#openSource(task, configuration, signal);
    try {
      const destination = this.#destination(task.pipelineId);
      const run = new TopicsRun({
        source,
        destination,
        configuration,
        onEvent: this.#sayOf(task),
        onUnproxied: (topic, records) => metrics.series(migrationRows.unproxied, { topic }).add(records),
        onLag: (topic, offsets) => {
          metrics.series(migrationRows.lag, { topic }).set(offsets);
          progress(destination.managedTopics().length);
        },
        clock,
        stop: signal,
      });
      await run.run();
    } finally {
      for (const { name } of this.#destination(task.pipelineId).managedTopics())
        metrics.remove(migrationRows.lag, { topic: name });
      await source.close();
    }
    // A job that had to stop is given back, not done.
    signal.throwIfAborted();
    return 'followed the topics of the source';
  }

  async #copySlot(
    task: ReturnType<typeof readMigrationCopyTask>,
    { signal, progress }: JobContext,
  ): Promise<string> {
    const { agentId, metrics, clock } = this.#options;
    const { pipelineId, slot, slotCount } = task;
    const { ByteBudget, SlotCopy } = await import('@weir/migration/engine');
    const { migrationLimits } = await import('@weir/migration/limits');
    this.#budget ??= new ByteBudget(migrationLimits.copyMemoryBytes);
    const configuration = await configurationOf(task);
    const source = await this.#openSource(task, configuration, signal);
    let recordCount = 0;
    try {
      const destination = this.#destination(pipelineId);
      const copy = new SlotCopy({
        pipelineId,
        source,
        destination,
        isMine: (topicId, partition) => migrationSlotOf(topicId, partition, slotCount) === slot,
        fetchBytesMax: configuration.fetchBytesMax,
        partitionBytesMax: configuration.partitionBytesMax,
        fetchBytesPerSecond: shareOf(configuration.fetchBytesPerSecond, slotCount),
        budget: this.#budget,
        onEvent: this.#sayOf(task),
        onCopied: (topic, bytes, records) => {
          recordCount += records;
          metrics.series(migrationRows.copiedBytes, { topic }).add(bytes);
          metrics.series(migrationRows.copiedRecords, { topic }).add(records);
        },
        clock,
        stop: signal,
      });
      const done = copy.run();
      for (let isRunning = true; isRunning; ) {
        const copied = copy.copied();
        const rates = {
          bytesPerSecond: sum(copied, ({ bytesPerSecond }) => bytesPerSecond),
          messagesPerSecond: sum(copied, ({ recordsPerSecond }) => recordsPerSecond),
        };
        progress(recordCount, undefined, undefined, rates);
        destination.send({
          agentId,
          pipelineId,
          slot,
          copied: copied.slice(0, clusterLimits.reportedMigrationTopicsMax),
          error: copy.error,
        });
        await pauseUnlessStopped(clock, reportMs, signal);
        isRunning = !signal.aborted;
      }
      await done;
    } finally {
      await source.close();
    }
    signal.throwIfAborted();
    return `copied ${recordCount} records`;
  }

  #destination(pipelineId: string): LeaderDestination {
    const { port, view, copyPath, readPath, agentId, log } = this.#options;
    return new LeaderDestination({
      pipelineId,
      agentId,
      port,
      view,
      copyPath,
      readPath,
      onUnreported: (error) => log.debug('failed to report migration', { error: String(error) }),
    });
  }

  async #openSource(
    { secrets = {} }: MigrationTask,
    configuration: MigrationConfiguration,
    stop: AbortSignal,
  ) {
    const { tenantAccess, clock } = this.#options;
    const { openSource } = await import('@weir/migration/source');
    try {
      return await openSource({ configuration, secrets, tenantAccess, clock, stop });
    } catch (error) {
      // They are one line for users, and the same until an operator sets what is missing.
      if (error instanceof Failure || error instanceof SecretMissing) throw new NeedsOperator(error.message);
      throw error;
    }
  }

  #sayOf({ pipelineId, pipelineName }: MigrationTask): (event: MigrationEvent) => void {
    return (event) => this.#options.onLine({ ...event, pipelineId, pipelineName });
  }
}

/** A deployed configuration was checked before; one of another release may say more than this one knows. */
async function configurationOf({ yaml }: MigrationTask): Promise<MigrationConfiguration> {
  const { readConfiguration } = await import('@weir/migration/configuration');
  const reading = readConfiguration(yaml);
  if ('configuration' in reading) return reading.configuration;
  const [{ place, message }] = reading.problems as [(typeof reading.problems)[number]];
  throw new NeedsOperator(`line ${place.line}, column ${place.column}: ${message}`);
}

/** Each slot has the same share, whichever agent runs it. */
function shareOf(bytesPerSecond: number | undefined, slotCount: number): number | undefined {
  return bytesPerSecond === undefined ? undefined : bytesPerSecond / slotCount;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
