import type { ConfigGroup } from '@weir/core';
import type { ConfigType } from './config-type.ts';

/** One config of a topic or of the cluster. Validation, defaults and DescribeConfigs derive from it. */
export interface ConfigRow {
  readonly type: ConfigType<unknown>;
  /** As text, like all values. Without a default, other code decides when nothing is set. */
  readonly default?: string;
  /** What it is about; lists of configs are grouped by it. */
  readonly group: ConfigGroup;
  readonly doc: string;
  /** Read-only: its value is the default or what an agent's flags set. */
  readonly readOnly?: true;
  /**
   * Each agent reads its own value, so a single broker may override it. Other configs with an effect are the same for
   * all brokers.
   */
  readonly perBroker?: true;
  /**
   * Only owners of the cluster can set it, through the API and never through an agent. The text explains this to
   * clients that try.
   */
  readonly ownersOnly?: string;
  /** The value is never returned. */
  readonly sensitive?: true;
  /** Accepted, stored and shown because tools set it; it has no effect here. */
  readonly withoutEffect?: true;
  /**
   * Values that this release does not support, each with the reason. They are refused, but shown if an earlier release
   * stored them.
   */
  readonly refusedValues?: Readonly<Record<string, string>>;
  /**
   * Kafka's broker config for the same setting. A topic inherits the cluster's value if the cluster's catalogue has
   * that name.
   */
  readonly synonym?: string;
}

/** Another name under which a config can be set; it is never shown under it. */
export interface ConfigAlias {
  readonly of: string;
  /** Units of the config per unit of the alias; negative values are not scaled. */
  readonly times?: number;
}

/** What is wrong with a config: `retention.ms=soon: must be …`. */
export interface ConfigProblem {
  readonly name: string;
  readonly value: string;
  readonly rule: string;
  /**
   * INVALID_REQUEST for a config that exists but cannot be changed this way, and for client metrics, as in Kafka;
   * otherwise INVALID_CONFIG.
   */
  readonly error: 'INVALID_CONFIG' | 'INVALID_REQUEST';
}

/** Returns the documentation that tools show with the value. */
export function documentationOf({ doc, withoutEffect }: ConfigRow): string {
  return withoutEffect ? `${doc} Accepted without effect.` : doc;
}

export function describeProblem({ name, value, rule }: ConfigProblem): string {
  return `${name}=${value}: ${rule}`;
}

export type ValueOf<Row extends ConfigRow> = Row['type'] extends ConfigType<infer Value> ? Value : never;
