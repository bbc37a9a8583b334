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
  readonly sentBatches: number;
  readonly failedBatches: number;
  readonly gatheredBatches: number;
  readonly inputConnectionsUp: number;
  readonly inputConnectionsFailed: number;
  readonly inputConnectionsLost: number;
  readonly outputConnectionsUp: number;
  readonly outputConnectionsFailed: number;
  readonly outputConnectionsLost: number;
  readonly limitsChecked: number;
  readonly limitsTriggered: number;
  /** How long deliveries took until they were settled, and writes; at most `latenciesPerBeatMax` of each. */
  readonly settleMs: readonly number[];
  readonly sendMs: readonly number[];
  readonly processors: readonly ProcessorCounts[];
  readonly failed: readonly (readonly [stage: string, messages: number])[];
  readonly custom: readonly CustomCount[];
}

/** What a processor counted. */
export interface ProcessorCounts {
  readonly stage: string;
  readonly received: number;
  readonly receivedBatches: number;
  readonly sent: number;
  readonly sentBatches: number;
  /** How long batches took, at most `processorLatenciesPerBeatMax` of them. */
  readonly tookMs: readonly number[];
}

/** A metric that the configuration defines. */
export interface CustomCount {
  readonly kind: 'counter' | 'gauge' | 'timing';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
