import { BatchFailure } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';

/** What failed of a batch: an error for each message that was not written, by its place. */
export interface Outcome {
  readonly error: Error;
  /** Never empty. */
  readonly failed: ReadonlyMap<number, Error>;
}

/**
 * Gathers what became of the parts that were made of a batch, whose messages know their places in it. A message counts
 * as written only if one that came from it was, and none that came from it failed: what processors dropped or merged
 * into another message fails with the others, so that nothing is lost.
 */
export class Outcomes {
  readonly #count: number;
  readonly #written: Batch[] = [];
  readonly #failures: { readonly part: Batch; readonly error: Error }[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  written(part: Batch): void {
    this.#written.push(part);
  }

  failed(part: Batch, error: Error): void {
    this.#failures.push({ part, error });
  }

  /** Absent if all parts were written, or none were made. */
  get outcome(): Outcome | undefined {
    const error = this.#failures[0]?.error;
    if (error === undefined) return undefined;
    const written = new Set<number>();
    const reasons = new Map<number, Error>();
    // Whether a message failed whose place is not known.
    let isUnclear = false;
    for (const part of this.#written)
      for (const { origin } of part) if (origin !== undefined) written.add(origin.index);
    for (const { part, error: failure } of this.#failures) {
      const failed = failedOf(part, failure);
      for (let at = 0; at < part.length; at++) {
        const index = part[at]!.origin?.index;
        const reason = failed.get(at);
        if (index === undefined) isUnclear ||= reason !== undefined;
        else if (reason === undefined) written.add(index);
        else if (!reasons.has(index)) reasons.set(index, reason);
      }
    }
    const failed = new Map<number, Error>();
    for (let index = 0; index < this.#count; index++)
      if (isUnclear || reasons.has(index) || !written.has(index))
        failed.set(index, reasons.get(index) ?? error);
    return { error, failed };
  }

  /** Throws what an output throws for the batch; nothing if all parts were written. */
  throwFailure(): void {
    const { outcome } = this;
    if (outcome === undefined) return;
    throw outcome.failed.size === this.#count && !(outcome.error instanceof BatchFailure)
      ? outcome.error
      : new BatchFailure(outcome.failed);
  }
}

/** The messages of a batch that an error is about, with their reasons, in order. */
export function failedOf(batch: Batch, error: Error): ReadonlyMap<number, Error> {
  const failed = new Map<number, Error>();
  for (let index = 0; index < batch.length; index++) {
    const reason = error instanceof BatchFailure ? error.failed.get(index) : error;
    if (reason !== undefined) failed.set(index, reason);
  }
  if (failed.size === 0) for (let index = 0; index < batch.length; index++) failed.set(index, error);
  return failed;
}

/** Gives messages their places in a batch, where they do not have them already. */
export function withOrigins(batch: Batch): Batch {
  return batch.every(({ origin }, index) => origin?.index === index)
    ? batch
    : batch.map((message, index) =>
        message.withOrigin({ replay: { attempts: 0 }, ...message.origin, index }),
      );
}
