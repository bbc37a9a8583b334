/**
 * Writes the records of a topic to an Iceberg table, each exactly once.
 *
 *     source ──► rows ──► files by partition ──► uploads ──► kept records ──► commit of files and offsets
 *
 * The offsets that the table has are in the summary of the snapshot that adds the rows, so that both are there or
 * neither. A session begins at those offsets; whatever fails ends it, and the next one begins again where the table is.
 * A writer that another one has passed is refused by `validate`, and does the same. What such sessions leave behind are
 * files that no snapshot refers to.
 */
import { type JitteredBackOff, jitteredBackOffMs, pauseUnlessStopped } from '@weir/core';
import { CatalogDenied } from '@weir/iceberg';
import { StoreError } from '@weir/storage';
import { TableBlocked } from '../append/table-blocked.ts';
import { IngestionSession, type SessionOptions } from './ingestion-session.ts';
import { IngestionState } from './ingestion-state.ts';
import type { TableEvent, TableEventType, TableProgress } from './progress.ts';

export interface TableIngestionOptions extends Omit<SessionOptions, 'emit' | 'onChanged'> {
  readonly onEvent: (event: TableEvent) => void;
  /** Called when a commit, a failure or a stop changed something; lags change with time alone. */
  readonly onProgress?: ((progress: TableProgress) => void) | undefined;
}

const backOff: JitteredBackOff = { firstMs: 1000, maxMs: 60_000, jitter: 'half' };

export class TableIngestion {
  readonly #options: TableIngestionOptions;
  readonly #state = new IngestionState();
  #session: IngestionSession | undefined;

  constructor(options: TableIngestionOptions) {
    this.#options = options;
  }

  progress(): TableProgress {
    return this.#state.progress(this.#options.clock.nowMs());
  }

  /** Another job has changed the table: sees what it has now. */
  refresh(): void {
    this.#session?.refresh();
  }

  /**
   * Runs until the signal is aborted, and then commits what it has read. Rejects with `TableBlocked` if an operator has
   * to change something; other failures are reported, and tried again.
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock, random, definition } = this.#options;
    this.#emit('ingestion_started', `ingestion of topic ${definition.topic} started`);
    let failures = 0;
    try {
      while (!signal.aborted) {
        const session = new IngestionSession(this.#sessionOptions(), this.#state);
        this.#session = session;
        try {
          await session.run(signal);
        } catch (error) {
          this.#fail(error, session);
          if (error instanceof TableBlocked) throw error;
          failures = session.hasCommitted ? 0 : failures + 1;
          await pauseUnlessStopped(clock, jitteredBackOffMs(failures, backOff, random), signal);
        }
      }
    } finally {
      this.#emit('ingestion_stopped', `ingestion of topic ${definition.topic} stopped`);
      this.#changed();
    }
  }

  #fail(error: unknown, { activity }: IngestionSession): void {
    const { clock, log } = this.#options;
    const message = error instanceof Error ? error.message : String(error);
    const cause = error instanceof StoreError ? 'storage' : activity;
    this.#state.fail(message, cause, clock.nowMs(), error instanceof CatalogDenied);
    log.warn('failed to write table', { activity: cause, error: message });
    if (activity === 'catalog') this.#emit('commit_failed', message, true);
    this.#changed();
  }

  #sessionOptions(): SessionOptions {
    return {
      ...this.#options,
      emit: (type, message, details) => this.#emit(type, message, details?.isError ?? false, details),
      onChanged: () => this.#changed(),
    };
  }

  #emit(
    type: TableEventType,
    message: string,
    isError = false,
    { partition, offset }: { readonly partition?: number; readonly offset?: bigint } = {},
  ): void {
    this.#options.onEvent({ type, isError, message, partition, offset });
  }

  #changed(): void {
    this.#options.onProgress?.(this.progress());
  }
}
