import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes } from '../store/content.ts';
import { inTurns } from '../store/in-turns.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** What Google joins in one request. */
const sourcesMax = 32;
const joinsInFlightMax = 8;

type Signal = AbortSignal | undefined;

interface ComposedUploadOptions {
  readonly key: string;
  /** Where the parts are, with a slash at its end. */
  readonly folder: string;
  readonly insertPart: (name: string, content: readonly Uint8Array[], signal: Signal) => Promise<void>;
  /** Joins parts to a larger one. */
  readonly joinParts: (name: string, sources: readonly string[], signal: Signal) => Promise<void>;
  /** Joins parts to the object. */
  readonly joinObject: (sources: readonly string[], signal: Signal) => Promise<void>;
  /** Whether the object of the key is the result of this upload. */
  readonly isJoined: (signal: Signal) => Promise<boolean>;
  readonly removeParts: (signal: Signal) => Promise<void>;
}

/**
 * An upload whose parts are objects of their own, which Google joins in the end, 32 at a time, in as many levels as it
 * takes. No data is sent again for that.
 *
 * Every attempt has a name of its own: one that was given up and arrives late changes nothing, and Google limits writes
 * of one name to one per second.
 */
export class ComposedUpload implements ObjectUpload {
  readonly #options: ComposedUploadOptions;
  readonly #names: string[] = [];
  readonly #partEnds: number[] = [];
  #attempts = 0;

  constructor(options: ComposedUploadOptions) {
    this.#options = options;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    const name = this.#freshName();
    await this.#options.insertPart(name, content, signal);
    this.#names[index] = name;
    this.#partEnds[index] = index * storageLimits.uploadPartBytes + contentBytes(content);
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    const { key, joinObject, isJoined, removeParts } = this.#options;
    checkParts(key, this.#partEnds, partCount);
    try {
      await joinObject(await this.#fewNames(signal), signal);
    } catch (error) {
      // An earlier attempt, whose answer was lost, may have joined the object and removed parts.
      const areGone = error instanceof StoreError && error.kind === 'notFound';
      if (!areGone || !(await isJoined(signal))) throw error;
    }
    // The object is complete. Parts that stay are found as those of an unfinished upload.
    await removeParts(signal).catch(() => undefined);
  }

  async abort({ signal }: CallOptions = {}): Promise<void> {
    await this.#options.removeParts(signal);
  }

  /** Joins parts until one request can take the rest. */
  async #fewNames(signal: Signal): Promise<readonly string[]> {
    let names: readonly string[] = this.#names;
    while (names.length > sourcesMax) {
      const groups = Array.from({ length: Math.ceil(names.length / sourcesMax) }, (_, index) => ({
        name: this.#freshName(),
        sources: names.slice(index * sourcesMax, (index + 1) * sourcesMax),
      }));
      const join = ({ name, sources }: (typeof groups)[number]) =>
        this.#options.joinParts(name, sources, signal);
      await inTurns(groups, joinsInFlightMax, join);
      names = groups.map(({ name }) => name);
    }
    return names;
  }

  #freshName(): string {
    return `${this.#options.folder}part-${this.#attempts++}`;
  }
}
