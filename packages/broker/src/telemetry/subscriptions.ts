import { crc32 } from 'node:zlib';
import type { EntriesView } from '@weir/cluster';
import { type Pattern, restorePattern } from '@weir/cluster';

/** Client attributes that subscriptions match, under their names in a subscription. */
export interface TelemetryClient {
  readonly client_instance_id: string;
  readonly client_id: string;
  readonly client_software_name: string;
  readonly client_software_version: string;
  readonly client_source_address: string;
  readonly client_source_port: string;
}

/** The metrics subscription of one client. */
export interface WantedMetrics {
  /** The same on every agent for the same client and subscriptions, so that a client may switch agents. */
  readonly subscriptionId: number;
  readonly pushIntervalMs: number;
  /** Prefixes of names. Empty list: no metrics; an empty prefix: all. */
  readonly prefixes: readonly string[];
}

interface Subscription {
  readonly intervalMs: number;
  readonly prefixes: readonly string[];
  readonly matches: readonly { readonly selector: keyof TelemetryClient; readonly pattern: Pattern }[];
}

const usualIntervalMs = 300_000;
const everything = '*';

/** The subscriptions to client metrics, as the agent last received them. */
export class TelemetrySubscriptions {
  readonly #records: EntriesView;
  #version = -1;
  #parsed: readonly Subscription[] = [];

  constructor(records: EntriesView) {
    this.#records = records;
  }

  /** Whether there is a subscription with metrics. */
  get isAny(): boolean {
    return this.#subscriptions().some(({ prefixes }) => prefixes.length > 0);
  }

  /** Merges all matching subscriptions: the shortest interval, and the metrics of all. */
  of(client: TelemetryClient): WantedMetrics {
    const fitting = this.#subscriptions().filter(({ matches }) =>
      matches.every(
        ({ selector, pattern }) => pattern.problem === undefined && pattern.matches(client[selector]),
      ),
    );
    const pushIntervalMs = Math.min(...fitting.map(({ intervalMs }) => intervalMs), usualIntervalMs);
    const named = [...new Set(fitting.flatMap(({ prefixes }) => prefixes))].sort();
    const prefixes = named.includes(everything) ? [''] : named;
    const subscription = JSON.stringify([client.client_instance_id, pushIntervalMs, prefixes]);
    return { subscriptionId: crc32(subscription) | 0, pushIntervalMs, prefixes };
  }

  #subscriptions(): readonly Subscription[] {
    const { version, byKey } = this.#records;
    if (version !== this.#version) this.#parsed = [...byKey.values()].map(parsed);
    this.#version = version;
    return this.#parsed;
  }
}

/** The cluster has validated the subscription. */
function parsed(value: Uint8Array): Subscription {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const configs = JSON.parse(text) as Readonly<Record<string, string>>;
  return {
    intervalMs: Number(configs['interval.ms'] ?? usualIntervalMs),
    prefixes: wordsOf(configs.metrics),
    matches: wordsOf(configs.match).map((word) => {
      const equals = word.indexOf('=');
      const selector = word.slice(0, equals).trim() as keyof TelemetryClient;
      return { selector, pattern: restorePattern(word.slice(equals + 1).trim()) };
    }),
  };
}

function wordsOf(text = ''): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
