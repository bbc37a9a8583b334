import type { LogFields, LogLevel } from '@weir/core';
import type { PipelineCounts, ThreadStart } from './thread-messages.ts';

/** Messages between an agent and the process that has the threads of its pipelines. Each names an instance. */
export type ToHost =
  | { readonly kind: 'start'; readonly id: number; readonly start: ThreadStart }
  | { readonly kind: 'stop'; readonly id: number; readonly drainMsMax: number | undefined }
  | { readonly kind: 'granted'; readonly id: number };

export type FromHost =
  | { readonly kind: 'counts'; readonly id: number; readonly counts: PipelineCounts }
  | {
      readonly kind: 'log';
      readonly id: number;
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields;
    }
  | { readonly kind: 'take'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'ended'; readonly id: number }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly needsOperator: boolean;
    };
