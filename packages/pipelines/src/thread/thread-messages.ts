import type { LogFields, LogLevel } from '@weir/core';
import type { OwnCluster } from '../component/component-context.ts';

/** What the thread of an instance gets when it starts. */
export interface ThreadStart {
  readonly yaml: string;
  /** Values of the named secrets that the configuration refers to. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables that configurations may read. */
  readonly variables: Readonly<Record<string, string>>;
  /** Hosts that the operator allows. */
  readonly allowedHosts: readonly string[];
  readonly ownCluster?: OwnCluster | undefined;
}

export type ToThread =
  | { readonly kind: 'stop' }
  /** The bytes that the thread asked for may be read. */
  | { readonly kind: 'granted' };

export type FromThread =
  /** One that is idle has counted nothing, and says that more seldom. */
  | { readonly kind: 'beat'; readonly isIdle: boolean; readonly counts?: PipelineCounts }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields;
    }
  | { readonly kind: 'take'; readonly bytes: number }
  /** The instance ended; with a problem it cannot run. */
  | { readonly kind: 'ended'; readonly problem?: string; readonly needsOperator?: boolean };

/** What an instance counted since the last beat. */
export interface PipelineCounts {
  readonly receivedMessages: number;
  readonly receivedBytes: number;
  readonly sentMessages: number;
  readonly sentBytes: number;
  /** How long writes took, at most `latenciesMax` of them. */
  readonly sendMs: readonly number[];
  readonly failed: readonly (readonly [stage: string, messages: number])[];
  readonly custom: readonly CustomCount[];
}

/** A metric that the configuration defines. */
export interface CustomCount {
  readonly kind: 'counter' | 'gauge' | 'timing';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
