import { DatabaseThread, type RemoteCall } from '@weir/sql/database-thread';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { CallSlots } from './call-slots.ts';

/** Why a thread could not serve a call. */
export interface BucketProblem {
  /** Absent for a bug. */
  readonly kind: StoreErrorKind | undefined;
  readonly subject: string;
  readonly text: string;
}

type ThreadOptions = ConstructorParameters<typeof DatabaseThread<BucketProblem>>[0];

interface BucketThreadOptions extends Omit<ThreadOptions, 'toError' | 'toLoss'> {
  /** What errors of the thread itself are about. */
  readonly subject: string;
  /** Calls that the thread has, and whose bytes are in memory. */
  readonly callsMax: number;
}

/** The thread with the database of a bucket. */
export class BucketThread {
  readonly #slots: CallSlots;
  readonly #thread: DatabaseThread<BucketProblem>;

  constructor({ subject, callsMax, ...options }: BucketThreadOptions) {
    this.#slots = new CallSlots(callsMax);
    this.#thread = new DatabaseThread({ ...options, toError, toLoss });

    function toLoss(cause: Error | undefined): StoreError {
      const problem = cause === undefined ? 'it was closed' : `the thread failed: ${cause.message}`;
      return new StoreError('unavailable', subject, problem);
    }
  }

  call(call: RemoteCall, signal?: AbortSignal): Promise<unknown> {
    return this.#slots.run(() => this.#thread.call(call), signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

function toError({ kind, subject, text }: BucketProblem): Error {
  return kind === undefined ? new Error(text) : new StoreError(kind, subject, text);
}
