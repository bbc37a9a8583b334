import type { Clock } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { CheckedRanges } from './checked-ranges.ts';

interface CheckedFile {
  readonly version: string;
  readonly sinceMs: number;
  readonly ranges: CheckedRanges;
}

/**
 * What was checked of files on this machine, beyond the time that their pages are in memory: a file that no program has
 * changed since is not checked again when it is read again, for `checkedFileAgeMs` (ADR 0101). Files of other stores
 * have no version and are checked whenever they are read.
 */
export class CheckedFiles {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #filesMax: number;
  /** Least recently read first. */
  readonly #files = new Map<string, CheckedFile>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, filesMax: number = brokerLimits.checkedFilesMax) {
    this.#clock = clock;
    this.#filesMax = filesMax;
  }

  /** Returns what was checked of a version of a file, which the caller adds to. */
  rangesOf(fileId: string, version: string): CheckedRanges {
    const nowMs = this.#clock.monotonicMs();
    let file = this.#files.get(fileId);
    if (file !== undefined) this.#files.delete(fileId);
    if (file?.version !== version || nowMs - file.sinceMs >= brokerLimits.checkedFileAgeMs) {
      file = { version, sinceMs: nowMs, ranges: new CheckedRanges() };
    }
    this.#files.set(fileId, file);
    if (this.#files.size > this.#filesMax) {
      for (const oldest of this.#files.keys()) {
        this.#files.delete(oldest);
        break;
      }
    }
    return file.ranges;
  }

  /** Called when a file turned out to be damaged: all of it is checked again, even what is in memory. */
  forget(fileId: string): void {
    this.#files.get(fileId)?.ranges.clear();
    this.#files.delete(fileId);
  }
}
