import { jobLeaseMs, type PipelineTask, pipelineKind, readPipelineTask } from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock, LogFields, LogLevel, Metrics } from '@weir/core';
import type { OwnCluster } from '@weir/pipelines';
import type { PipelineCounts, PipelineHosts, ThreadOwner } from '@weir/pipelines/thread';
import {
  type JobContext,
  type JobKind,
  type JobRates,
  LeaderUnreachable,
  NeedsOperator,
} from '../job-kind.ts';
import { PipelineMetricSeries } from './pipeline-metrics.ts';
import { SharedRate } from './shared-rate.ts';

/** A line of the log of a pipeline. */
export interface PipelineLine {
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly instance: number;
  /** The component that says so. */
  readonly stage: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

interface PipelineInstancesOptions {
  /** How the pipelines of the cluster reach it. */
  readonly ownCluster: (pipelineId: string) => OwnCluster | undefined;
  readonly tenantAccess: TenantAccess;
  /** The rate limit of all pipelines of the agent. */
  readonly bytesPerSecond: number;
  readonly onLine: (line: PipelineLine) => void;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Tests have threads of their own, in this process. */
  readonly thread?: Pick<ThreadOwner, 'worker' | 'limits'> | undefined;
}

/** Rates are those of the last seconds. */
const rateMs = 10_000;

/** Runs instances of managed pipelines. */
interface PipelineInstances extends JobKind {
  /** Ends the processes that they were in, when none runs any more. */
  end(): void;
}

/** Runs instances of managed pipelines, each in a thread of its own and outside of this process. */
export function pipelineInstances(options: PipelineInstancesOptions): PipelineInstances {
  const { clock, metrics, tenantAccess, onLine } = options;
  const rate = new SharedRate(options.bytesPerSecond, clock);
  const series = new PipelineMetricSeries(metrics);
  /** By pipeline and instance: one that stops is waited for before another one starts. */
  const running = new Map<string, Promise<unknown>>();
  let hosts: PipelineHosts | undefined;

  const run = async (task: PipelineTask, { signal, progress }: JobContext): Promise<string> => {
    // Loaded on demand: most agents run no pipelines.
    const { InstanceFailed, PipelineHosts, runInThread } = await import('@weir/pipelines/thread');
    const { pipelineId, pipelineName, instance } = task;
    const say = (level: LogLevel, message: string, stage: string, fields: LogFields = {}) =>
      onLine({ pipelineId, pipelineName, instance, stage, level, message, fields });
    const seen = new InstanceProgress(clock, progress);
    series.began(pipelineId);
    say('info', 'started pipeline instance', 'pipeline', { instance });
    try {
      for (;;) {
        const ownCluster = options.ownCluster(pipelineId);
        const isRenewed = () => {
          const now = options.ownCluster(pipelineId);
          return (
            now?.username !== ownCluster?.username ||
            now?.trustedCertificates !== ownCluster?.trustedCertificates
          );
        };
        const login = watchedLogin(clock, signal, isRenewed);
        try {
          const start = {
            yaml: task.yaml,
            secrets: task.secrets ?? {},
            variables: tenantAccess.variables.all(),
            allowedHosts: tenantAccess.hosts.entries,
            ownCluster,
          };
          const owner = {
            ...options.thread,
            clock,
            signal: login.signal,
            // Another agent may run it too by now.
            drainMsMax: () => (signal.reason instanceof LeaderUnreachable ? jobLeaseMs : undefined),
            take: (bytes: number) => rate.take(bytes),
            onCounts(counts: PipelineCounts) {
              series.counted(pipelineId, counts);
              seen.counted(counts);
            },
            onLog(level: LogLevel, message: string, { stage, ...fields }: LogFields) {
              const at = typeof stage === 'string' ? stage : 'pipeline';
              if (level === 'warn' || level === 'error') seen.failed(message, at, fields);
              say(level, message, at, fields);
            },
          };
          hosts ??= new PipelineHosts(clock);
          if (options.thread === undefined) await hosts.run(`${pipelineId} ${instance}`, start, owner);
          else await runInThread(start, owner);
        } finally {
          login.end();
        }
        if (signal.aborted || !login.signal.aborted) break;
      }
    } catch (error) {
      series.ended(pipelineId, 'failed');
      const { message } = error as Error;
      say('error', 'failed to run pipeline instance', 'pipeline', { error: message, instance });
      throw error instanceof InstanceFailed && error.needsOperator ? new NeedsOperator(message) : error;
    }
    series.ended(pipelineId, signal.aborted ? 'stopped' : 'done');
    say('info', signal.aborted ? 'stopped pipeline instance' : 'finished pipeline', 'pipeline', { instance });
    // A job that had to stop is given back, not done.
    signal.throwIfAborted();
    return `the input ended after ${seen.messageCount} messages`;
  };

  return {
    kind: pipelineKind,
    category: 'pipelines',
    isLasting: true,
    end: () => hosts?.end(),
    async run(bytes, context) {
      const task = readPipelineTask(bytes);
      const place = `${task.pipelineId} ${task.instance}`;
      const before = running.get(place);
      const mine = Promise.resolve(before)
        .catch(() => undefined)
        .then(() => run(task, context));
      running.set(place, mine);
      try {
        return await mine;
      } finally {
        if (running.get(place) === mine) running.delete(place);
      }
    },
  };
}

/** Aborted when the instance is to stop, or to start again with another login or certificate, as about once a week. */
function watchedLogin(clock: Clock, stop: AbortSignal, isRenewed: () => boolean) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (stop.aborted) abort();
  stop.addEventListener('abort', abort, { once: true });
  let cancel = () => {};
  const look = () => {
    cancel = clock.after(loginCheckMs, look);
    if (isRenewed()) abort();
  };
  cancel = clock.after(loginCheckMs, look);
  return {
    signal: controller.signal,
    end() {
      cancel();
      stop.removeEventListener('abort', abort);
    },
  };
}

const loginCheckMs = 60_000;

/** What an instance reports to the leader. */
class InstanceProgress {
  readonly #clock: Clock;
  readonly #progress: JobContext['progress'];
  /** Of the last seconds, the oldest first. */
  readonly #recent: RecentCounts[] = [];
  messageCount = 0;
  #failedCount = 0;
  #errorCount = 0;
  #last: Pick<JobRates, 'lastError' | 'lastErrorStage' | 'lastErrorMs'> = {};

  constructor(clock: Clock, progress: JobContext['progress']) {
    this.#clock = clock;
    this.#progress = progress;
  }

  counted({ receivedMessages, receivedBytes, sentMessages, sentBytes, failed }: PipelineCounts): void {
    const atMs = this.#clock.monotonicMs();
    this.messageCount += sentMessages;
    for (const [, count] of failed) this.#failedCount += count;
    this.#recent.push({ atMs, receivedMessages, receivedBytes, sentMessages, sentBytes });
    while (this.#recent.length > 1 && atMs - this.#recent[0]!.atMs > rateMs) this.#recent.shift();
    this.#report();
  }

  failed(message: string, stage: string, { error }: LogFields): void {
    const line = typeof error === 'string' ? `${message}: ${error}` : message;
    this.#errorCount++;
    this.#last = {
      lastError: line.slice(0, lastErrorCharsMax),
      lastErrorStage: stage.slice(0, stageCharsMax),
      lastErrorMs: this.#clock.nowMs(),
    };
    this.#report();
  }

  #report(): void {
    this.#progress(this.messageCount, undefined, undefined, {
      ...this.#rates(),
      failedCount: this.#failedCount,
      errorCount: this.#errorCount,
      ...this.#last,
    });
  }

  #rates(): JobRates {
    const [first, ...later] = this.#recent;
    const spanMs = first === undefined ? 0 : this.#clock.monotonicMs() - first.atMs;
    const perSecond = (field: Exclude<keyof RecentCounts, 'atMs'>) => {
      const sum = later.reduce((total, counts) => total + counts[field], 0);
      return spanMs <= 0 ? 0 : Math.round((10_000 * sum) / spanMs) / 10;
    };
    return {
      messagesPerSecond: perSecond('sentMessages'),
      bytesPerSecond: perSecond('sentBytes'),
      receivedMessagesPerSecond: perSecond('receivedMessages'),
      receivedBytesPerSecond: perSecond('receivedBytes'),
    };
  }
}

interface RecentCounts
  extends Pick<PipelineCounts, 'receivedMessages' | 'receivedBytes' | 'sentMessages' | 'sentBytes'> {
  readonly atMs: number;
}

const lastErrorCharsMax = 500;
const stageCharsMax = 200;
