import {
  type Clock,
  type JitteredBackOff,
  jitteredBackOffMs,
  type Log,
  type MetricRow,
  type Metrics,
  type Random,
} from '@weir/core';
import { Addresses } from '../addresses.ts';
import { AgentKeyRefused, type Channel, type Dial } from '../channel/channel.ts';

/** Where a key is to admit. */
export interface KeyPlace {
  /** The address of a control-plane process. */
  readonly url: string;
  /** Its region, if processes reported one. */
  readonly region: string | undefined;
}

interface ConnectorOptions {
  readonly urls: readonly string[];
  readonly clusterId: string;
  readonly region?: string | undefined;
  readonly agentKey: (place: KeyPlace) => string;
  /** Called with a refused key, so that the owner can get another. */
  readonly onAgentKeyRefused?: ((key: string, place: KeyPlace) => void) | undefined;
  /** Called with the regions that have control planes, so that the owner can get keys for them ahead. */
  readonly onRegions?: ((regions: readonly string[]) => void) | undefined;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface ConnectorEvents {
  /** A channel is open; the client must call `opened` or `retry`. */
  onChannel(channel: Channel, agentKey: string): void;
  /** No hello arrived over the open channel in time. */
  onSilence(reason: string): void;
  /** The key was refused, and there is no other yet. */
  onKeyRefused(error: AgentKeyRefused): void;
}

export const connectsRow: MetricRow<'outcome'> = {
  name: 'control_plane_rpc_connects_total',
  kind: 'counter',
  help: 'Attempts to connect to the control plane.',
  labels: ['outcome'],
};

/** The timeout to open a channel and receive hello. */
const connectMsMax = 5_000;
/** The same after a recent failure, so that a dead process does not cost the full timeout each time. */
const connectAgainMsMax = 1_000;
const retryBackOff: JitteredBackOff = { firstMs: 100, maxMs: 5_000, jitter: 'full' };
/**
 * How long pauses stay short after a success: another process is about to take over, and agents should connect as soon
 * as it has. After that, many agents must not overload it.
 */
const quickMsMax = 6_000;
const quickBackOff: JitteredBackOff = { ...retryBackOff, maxMs: 300 };
/** A refused key is retried this often; a new key at once. */
const refusedKeyRetryMs = 30_000;
const newKeyCheckMs = 1_000;
/** Refused keys that are known by their text; more are made only by an owner that gets new ones all the time. */
const refusedKeysMax = 16;

/** Chooses the process to connect to: the address, the time, and the key. */
export class Connector {
  readonly addresses: Addresses;
  readonly #options: ConnectorOptions;
  readonly #events: ConnectorEvents;
  readonly #clock: Clock;
  readonly #log: Log;
  #workedMs: number;
  /** Redirections without a pause. Two processes that redirect to each other must not make the client loop. */
  #redirections = 0;
  #keyRefused: AgentKeyRefused | undefined;
  /** The keys that were refused since one was admitted: those of regions differ, and each is refused once. */
  readonly #refusedKeys = new Set<string>();
  /** Cancels the present wait: for the channel, for hello, or for the next attempt. */
  #cancelWait: () => void = () => {};

  constructor(options: ConnectorOptions, events: ConnectorEvents) {
    this.#options = options;
    this.#events = events;
    this.#clock = options.clock;
    this.#log = options.log;
    this.addresses = new Addresses(options.urls, options.clock, { areOrdered: options.region !== undefined });
    this.#workedMs = this.#clock.monotonicMs();
  }

  /** The reason why calls are refused now, if it does not pass by itself. */
  get keyRefused(): AgentKeyRefused | undefined {
    return this.#keyRefused;
  }

  connect(): void {
    const url = this.addresses.current;
    const agentKey = this.#readKey();
    if (agentKey === undefined) return;
    const giveUp = new AbortController();
    const longestMs = this.addresses.isDoubtful(url) ? connectAgainMsMax : connectMsMax;
    let isWaiting = true;
    let hasChannel = false;
    const cancelTimeout = this.#clock.after(longestMs, () => {
      const reason = `${url}: no response within ${longestMs} ms`;
      if (hasChannel) this.#events.onSilence(reason);
      else this.#unreachable(reason);
    });
    this.#cancelWait = () => {
      isWaiting = false;
      cancelTimeout();
      giveUp.abort();
    };
    const { clusterId, region, dial } = this.#options;
    dial({ url, clusterId, region, agentKey, signal: giveUp.signal }).then(
      (channel) => {
        hasChannel = true;
        if (isWaiting) this.#events.onChannel(channel, agentKey);
        else channel.abort();
      },
      (error: Error) => {
        if (!isWaiting) return;
        if (error instanceof AgentKeyRefused) this.waitForKey(agentKey, error);
        else this.#unreachable(error.message);
      },
    );
  }

  /** The process at the present address sent hello. */
  opened(members: readonly string[], regions: readonly string[] | undefined): void {
    this.#cancelWait();
    this.#keyRefused = undefined;
    this.#refusedKeys.clear();
    this.learn(members, regions);
    this.addresses.reached();
    this.#count('ok');
  }

  /** Stores what a process reports of all processes. */
  learn(members: readonly string[], regions: readonly string[] | undefined): void {
    this.addresses.learn(members, regions);
    if (regions !== undefined) this.#options.onRegions?.(this.addresses.regions);
  }

  /** Notes that a process answered as a leader. */
  worked(): void {
    this.#redirections = 0;
    this.#workedMs = this.#clock.monotonicMs();
    this.addresses.worked();
  }

  /** Cancels all waits. */
  stop(): void {
    this.#cancelWait();
  }

  /** Tries the next address after a pause. `wasOpen`: the last one was reached. */
  retry(reason: string, wasOpen: boolean): void {
    this.#cancelWait();
    this.#redirections = 0;
    const rounds = this.addresses.failed();
    if (!wasOpen) this.#count('failed');
    const isQuick = this.#clock.monotonicMs() - this.#workedMs < quickMsMax;
    const delayMs = jitteredBackOffMs(rounds, isQuick ? quickBackOff : retryBackOff, this.#options.random);
    this.#log.warn('failed to connect to control plane, retrying', {
      error: reason,
      next: this.addresses.current,
      delayMs: Math.round(delayMs),
    });
    this.#cancelWait = this.#clock.after(delayMs, () => this.connect());
  }

  /** Connects to the leader, if it is known and not the present address; otherwise to the next address. */
  goToLeader(message: string, leaderUrl: string | undefined): void {
    this.#redirections++;
    if (this.#redirections > this.addresses.all.length || !this.addresses.follow(leaderUrl)) {
      this.retry(message, true);
      return;
    }
    this.#log.info('redirected to leader', { message, leaderUrl });
    this.#cancelWait();
    this.connect();
  }

  /** Polls for another key, and retries the refused one after a long pause. */
  waitForKey(key: string, error: AgentKeyRefused): void {
    this.#cancelWait();
    if (this.#refusedKeys.size >= refusedKeysMax) this.#refusedKeys.clear();
    this.#refusedKeys.add(key);
    // Of a key for another region than the owner believed, it may have the right one.
    this.#options.onAgentKeyRefused?.(key, this.#place);
    if (this.#hasNewKey()) {
      this.connect();
      return;
    }
    this.#keyRefused = error;
    this.#count('key_refused');
    this.#log.error('failed to authenticate at control plane: check agent key and cluster id', {
      clusterId: this.#options.clusterId,
      error: error.message,
      url: this.addresses.current,
    });
    this.#events.onKeyRefused(error);
    this.addresses.failed();
    let waitedMs = 0;
    const checkKey = () => {
      waitedMs += newKeyCheckMs;
      const hasNewKey = this.#hasNewKey();
      if (hasNewKey) this.#keyRefused = undefined;
      if (hasNewKey || waitedMs >= refusedKeyRetryMs) this.connect();
      else this.#cancelWait = this.#clock.after(newKeyCheckMs, checkKey);
    };
    this.#cancelWait = this.#clock.after(newKeyCheckMs, checkKey);
  }

  #unreachable(reason: string): void {
    this.addresses.notReached();
    this.retry(reason, false);
  }

  get #place(): KeyPlace {
    const url = this.addresses.current;
    return { url, region: this.addresses.regionOf(url) };
  }

  /** The key, or `undefined` if it cannot be read now and will be retried. */
  #readKey(): string | undefined {
    try {
      return this.#options.agentKey(this.#place);
    } catch (error) {
      this.retry(`failed to read agent key: ${String(error)}`, false);
      return undefined;
    }
  }

  #hasNewKey(): boolean {
    try {
      return !this.#refusedKeys.has(this.#options.agentKey(this.#place));
    } catch {
      // It is being replaced right now.
      return false;
    }
  }

  #count(outcome: string): void {
    this.#options.metrics.series(connectsRow, { outcome }).add(1);
  }
}
