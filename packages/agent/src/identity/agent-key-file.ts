import { readFileSync } from 'node:fs';
import type { Clock, Log } from '@weir/core';

interface AgentKeyFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A replaced key is used within this time. */
const keyFreshMs = 1_000;
/** Must fit into a header: one line without blanks. */
const keyPattern = /^[\x21-\x7e]+$/;

/**
 * An agent key in a file that may be replaced while the agent runs: by writing the file, by renaming another one over
 * it, or by changing one of the symbolic links that lead to it, as Kubernetes does. So it is read by its path each
 * time. While it cannot be read, the previous key is used.
 */
export class AgentKeyFile {
  readonly #options: AgentKeyFileOptions;
  #key: string | undefined;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: AgentKeyFileOptions) {
    this.#options = options;
  }

  /** Returns the key. Throws if there never was one. */
  current(): string {
    const { clock, log, path } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#key !== undefined && nowMs - this.#readMs < keyFreshMs) return this.#key;
    try {
      const key = this.#read();
      if (this.#key !== undefined && this.#key !== key) log.info('loaded new agent key', { path });
      this.#key = key;
    } catch (error) {
      if (this.#key === undefined) throw error;
      log.debug('failed to read agent key, keeping the previous one', {
        path,
        error: (error as Error).message,
      });
    }
    this.#readMs = nowMs;
    return this.#key;
  }

  #read(): string {
    const { path } = this.#options;
    const text = readFileSync(path, 'utf8').trim();
    // The error contains nothing of the text: it may be a key followed by something else.
    if (!keyPattern.test(text)) throw new Error(`${path} does not hold one agent key and nothing else`);
    return text;
  }
}
