import { randomBytes } from 'node:crypto';
import type { EntriesView } from '@weir/cluster';
import {
  type Clock,
  InvalidProtobuf,
  type Log,
  type MetricRow,
  type Metrics,
  nextTurn,
  RecentlyUsed,
} from '@weir/core';
import {
  codecIds,
  codecOfId,
  DecodeError,
  decompressOffThread,
  type ErrorName,
  OutputLimitExceeded,
  zeroUuid,
} from '@weir/wire';
import { ClientInflation, type InflatingConnection } from '../inflation/client-inflation.ts';
import { brokerLimits } from '../limits.ts';
import { dataPoints, pausePoint } from './metrics-data.ts';
import { type TelemetryClient, TelemetrySubscriptions, type WantedMetrics } from './subscriptions.ts';

interface ClientTelemetryOptions {
  /** The entries of the namespace `clientMetrics`. */
  readonly records: EntriesView;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Shared by all APIs that inflate for clients. */
  readonly inflation?: ClientInflation;
}

interface TelemetryPush {
  readonly subscriptionId: number;
  readonly isLast: boolean;
  readonly compressionType: number;
  readonly metrics: Buffer;
}

/** State of a client, to enforce its interval. */
interface Instance {
  /** When it last subscribed or pushed. */
  lastRequestMs: number;
  /** The first push after a subscription may come at any time. */
  mayPush: boolean;
  lastError: ErrorName;
  isOver: boolean;
}

export const pushesRow: MetricRow<'outcome'> = {
  name: 'agent_client_telemetry_push_count',
  kind: 'counter',
  help: 'Metrics pushes of clients, by outcome.',
  labels: ['outcome'],
};

export const pointsRow: MetricRow<never> = {
  name: 'agent_client_telemetry_points_counter',
  kind: 'counter',
  help: 'Data points pushed by clients.',
  labels: [],
};

/** Preferred codec first. */
export const acceptedCodecs = [codecIds.zstd, codecIds.lz4, codecIds.gzip, codecIds.snappy, codecIds.none];

/**
 * Metrics that clients push (KIP-714); clients are offered it while there is a subscription. A push becomes one log
 * line, up to a limit: with few subscribed metrics it contains all of them. Nothing is stored.
 */
export class ClientTelemetry {
  readonly #options: ClientTelemetryOptions;
  readonly #subscriptions: TelemetrySubscriptions;
  readonly #inflation: ClientInflation;
  readonly #instances = new RecentlyUsed<Instance>(brokerLimits.telemetryClientsMax);

  constructor(options: ClientTelemetryOptions) {
    this.#options = options;
    this.#inflation = options.inflation ?? new ClientInflation();
    this.#subscriptions = new TelemetrySubscriptions(options.records);
  }

  /** Whether telemetry is offered to clients. */
  get isWanted(): boolean {
    return this.#subscriptions.isAny;
  }

  /** Returns the subscription of a client, and assigns an id if it has none. */
  subscribe(client: TelemetryClient): { error: ErrorName; instanceId: string; wanted: WantedMetrics } {
    const isNew = client.client_instance_id === zeroUuid;
    const instanceId = isNew ? randomBytes(16).toString('base64url') : client.client_instance_id;
    const wanted = this.#subscriptions.of({ ...client, client_instance_id: instanceId });
    const instance = this.#instance(instanceId);
    const nowMs = this.#options.clock.monotonicMs();
    // A client whose subscription was outdated has to ask again at once.
    const mayAsk =
      asksAgainAfter.includes(instance.lastError) || nowMs - instance.lastRequestMs >= wanted.pushIntervalMs;
    const error = mayAsk ? 'NONE' : 'THROTTLING_QUOTA_EXCEEDED';
    instance.lastError = error;
    if (mayAsk) {
      instance.lastRequestMs = nowMs;
      instance.mayPush = true;
    }
    return { error, instanceId, wanted };
  }

  async push(
    client: TelemetryClient,
    push: TelemetryPush,
    connection: InflatingConnection,
  ): Promise<ErrorName> {
    const { metrics } = this.#options;
    const error = await this.#push(client, push, connection);
    metrics.series(pushesRow, { outcome: error === 'NONE' ? 'success' : error }).add(1);
    return error;
  }

  async #push(
    client: TelemetryClient,
    push: TelemetryPush,
    connection: InflatingConnection,
  ): Promise<ErrorName> {
    if (client.client_instance_id === zeroUuid) return 'INVALID_REQUEST';
    const instance = this.#instance(client.client_instance_id);
    const error = this.#refusal(client, push, instance) ?? (await this.#take(client, push, connection));
    instance.lastError = error;
    return error;
  }

  #refusal(client: TelemetryClient, push: TelemetryPush, instance: Instance): ErrorName | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    const wanted = this.#subscriptions.of(client);
    if (instance.isOver) return 'INVALID_REQUEST';
    const isEarly = !instance.mayPush && nowMs - instance.lastRequestMs < wanted.pushIntervalMs;
    if (isEarly && !push.isLast) return 'THROTTLING_QUOTA_EXCEEDED';
    instance.lastRequestMs = nowMs;
    instance.mayPush = false;
    if (push.subscriptionId !== wanted.subscriptionId) return 'UNKNOWN_SUBSCRIPTION_ID';
    instance.isOver = push.isLast;
    if (codecOfId(push.compressionType) === undefined) return 'UNSUPPORTED_COMPRESSION_TYPE';
    return push.metrics.length > brokerLimits.telemetryBytesMax ? 'TELEMETRY_TOO_LARGE' : undefined;
  }

  /** Yields to other requests: a small push may inflate to megabytes, with points of a few bytes each. */
  async #take(
    client: TelemetryClient,
    { compressionType, metrics }: TelemetryPush,
    connection: InflatingConnection,
  ): Promise<ErrorName> {
    const codec = codecOfId(compressionType)!;
    const budget = this.#inflation.of(connection);
    const pause = () => nextTurn(this.#options.clock);
    try {
      await budget.run(async () => {
        let inflatedBytes = 0;
        const watch = (piece: Buffer) => {
          inflatedBytes += piece.length;
        };
        try {
          const bytes = await decompressOffThread(codec, metrics, brokerLimits.telemetryInflatedBytesMax, {
            pause,
            watch,
          });
          await this.#write(client, dataPoints(bytes), pause);
        } finally {
          budget.spend(inflatedBytes, metrics.length);
        }
      });
      return 'NONE';
    } catch (error) {
      if (error instanceof OutputLimitExceeded) return 'TELEMETRY_TOO_LARGE';
      if (error instanceof DecodeError || error instanceof InvalidProtobuf) return 'INVALID_RECORD';
      throw error;
    }
  }

  async #write(
    client: TelemetryClient,
    points: ReturnType<typeof dataPoints>,
    pause: () => Promise<void>,
  ): Promise<void> {
    const { log, metrics } = this.#options;
    const shown: Record<string, number> = {};
    let shownChars = 0;
    let count = 0;
    for (const point of points) {
      if (point === pausePoint) {
        await pause();
        continue;
      }
      const { name, value } = point;
      count++;
      if (value === undefined || shownChars + name.length > brokerLimits.telemetryLoggedCharsMax) continue;
      shownChars += name.length;
      shown[name] = value;
    }
    metrics.series(pointsRow, {}).add(count);
    if (count > 0)
      log.info('received client metrics', { ...client, points: count, values: JSON.stringify(shown) });
  }

  #instance(instanceId: string): Instance {
    return this.#instances.of(instanceId, () => ({
      lastRequestMs: Number.NEGATIVE_INFINITY,
      mayPush: true,
      lastError: 'NONE',
      isOver: false,
    }));
  }
}

const asksAgainAfter: readonly ErrorName[] = ['UNKNOWN_SUBSCRIPTION_ID', 'UNSUPPORTED_COMPRESSION_TYPE'];
