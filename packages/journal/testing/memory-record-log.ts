import type { FileContent } from '@weir/cluster';
import type { RecordLog } from '../src/segmented-journals.ts';

/** Segments in memory, which outlive the journals over them. */
export class MemoryRecordLog implements RecordLog {
  readonly id = 'log';
  hasFiles = false;
  lastSequence = 0;
  released = 0;
  readonly stored: { readonly sequence: number; readonly record: Buffer }[] = [];
  /** Thrown by the next append. */
  failure: Error | undefined;

  async *records() {
    yield* this.stored.filter(({ sequence }) => sequence > this.released);
  }

  async begin(): Promise<void> {}

  async append(record: Uint8Array, files: readonly FileContent[]): Promise<number> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    this.hasFiles ||= files.length > 0;
    this.stored.push({ sequence: ++this.lastSequence, record: Buffer.from(record) });
    return this.lastSequence;
  }

  release(sequence: number): void {
    this.released = sequence;
  }
}
