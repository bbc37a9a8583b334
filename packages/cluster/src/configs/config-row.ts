import type { ConfigType } from './config-type.ts';

/** One config of a topic or of the cluster. Validation, defaults and DescribeConfigs derive from it. */
export interface ConfigRow {
  readonly type: ConfigType<unknown>;
  /** As text, as all values are. Without one, somebody else decides when nothing is set. */
  readonly default?: string;
  readonly doc: string;
  /** Cannot be set: reads as its default, or as what the flags of an agent say. */
  readonly readOnly?: true;
  /** An agent reads it for itself, so that one broker may have its own value; others with an effect are the same for all brokers. */
  readonly perBroker?: true;
  /** Only owners of the cluster set it, through the API and never through an agent. Says how, for clients that try. */
  readonly ownersOnly?: string;
  /** Nobody is ever shown its value. */
  readonly sensitive?: true;
  /** Accepted, stored and shown, because tools set it; nothing depends on it here. */
  readonly withoutEffect?: true;
  /** Values of a config that has an effect otherwise, accepted because tools set them and compare what they read. */
  readonly valuesWithoutEffect?: readonly string[];
  /** Values that promise what this release does not do, each with why. They are refused, and shown where an earlier release stored them. */
  readonly refusedValues?: Readonly<Record<string, string>>;
  /**
   * The name that Kafka's brokers have for the same thing. A topic inherits the cluster's value when the cluster's catalogue
   * has that name.
   */
  readonly synonym?: string;
}

/** Another name under which a config can be set, and under which it is never shown. */
export interface ConfigAlias {
  readonly of: string;
  /** What one unit of the alias is in units of the config; negative values keep their meaning. */
  readonly times?: number;
}

/** What is wrong with a config: `retention.ms=soon: must be …`. */
export interface ConfigProblem {
  readonly name: string;
  readonly value: string;
  readonly rule: string;
  /** INVALID_REQUEST for what exists and cannot be changed so, as in Kafka; INVALID_CONFIG for everything else. */
  readonly error: 'INVALID_CONFIG' | 'INVALID_REQUEST';
}

/** What a tool shows beside the value. */
export function documentationOf({ doc, withoutEffect, valuesWithoutEffect = [] }: ConfigRow): string {
  if (withoutEffect) return `${doc} It is accepted and has no effect here.`;
  return [doc, ...valuesWithoutEffect.map((value) => `${value} is accepted and has no effect here.`)].join(
    ' ',
  );
}

export function describeProblem({ name, value, rule }: ConfigProblem): string {
  return `${name}=${value}: ${rule}`;
}

export type ValueOf<Row extends ConfigRow> = Row['type'] extends ConfigType<infer Value> ? Value : never;
