import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { UploadWriter } from '../store/upload-writer.ts';
import { encodeEnd, encodeHeader, type SectionToEncode, topicIdToBytes } from './encode-log-file.ts';
import { logFileKey } from './file-id.ts';
import { formatVersions } from './layout.ts';

interface CompactedFileToWrite extends CallOptions {
  readonly clusterId: string;
  readonly fileId: string;
  /** Parts of the file that are uploaded at the same time, each with memory of its own. */
  readonly partsInFlightMax: number;
}

/** Contiguous batches of one partition, with their offsets in their headers. */
export interface BatchesToWrite {
  readonly topicId: string;
  readonly partition: number;
  readonly bytes: Buffer;
  readonly batchCount: number;
  readonly recordCount: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
}

type OpenSection = { -readonly [Name in keyof SectionToEncode]-?: SectionToEncode[Name] };

/**
 * Writes a compacted file of any size piece by piece. Pieces come in the order of topic ids (by their bytes),
 * partitions and offsets. Readers see nothing of the file before it is finished.
 */
export class CompactedFileWriter {
  readonly fileId: string;
  readonly #writer: UploadWriter;
  readonly #topicIds: Buffer[] = [];
  readonly #sections: OpenSection[] = [];
  #topicId = '';

  static async begin(store: ObjectStore, file: CompactedFileToWrite): Promise<CompactedFileWriter> {
    const { clusterId, fileId, partsInFlightMax, signal } = file;
    const header = encodeHeader(formatVersions.compacted, clusterId, fileId);
    const upload = await store.beginUpload(logFileKey(clusterId, fileId), { signal });
    const writer = new CompactedFileWriter(fileId, new UploadWriter(upload, { partsInFlightMax, signal }));
    await writer.#writer.write(header);
    return writer;
  }

  private constructor(fileId: string, writer: UploadWriter) {
    this.fileId = fileId;
    this.#writer = writer;
  }

  /** Where the next piece begins. */
  get bytes(): number {
    return this.#writer.bytes;
  }

  get isEmpty(): boolean {
    return this.#sections.length === 0;
  }

  /** Copies batches to the end of the file. Returns a promise if it must wait for the store. */
  append(batches: BatchesToWrite): Promise<void> | undefined {
    const section = this.#sectionOf(batches);
    section.byteLength += batches.bytes.length;
    section.batchCount += batches.batchCount;
    section.recordCount += batches.recordCount;
    section.nextOffset = batches.nextOffset;
    return this.#writer.write(batches.bytes);
  }

  /** Returns the size of the file. */
  async finish(): Promise<number> {
    await this.#writer.write(
      encodeEnd(formatVersions.compacted, this.#topicIds, this.#sections, this.#writer.bytes),
    );
    await this.#writer.finish();
    return this.#writer.bytes;
  }

  /** Removes what was uploaded; never throws. */
  abort(): Promise<void> {
    return this.#writer.abort();
  }

  #sectionOf({ topicId, partition, baseOffset }: BatchesToWrite): OpenSection {
    const last = this.#sections.at(-1);
    const isSameTopic = this.#topicId === topicId;
    if (last !== undefined && isSameTopic && last.partition === partition) {
      if (baseOffset < last.nextOffset) throw new RangeError('log file: offsets of a section go back');
      return last;
    }
    if (!isSameTopic) {
      const id = topicIdToBytes(topicId);
      const before = this.#topicIds.at(-1);
      if (before !== undefined && before.compare(id) >= 0)
        throw new RangeError('log file: topics are not in the order of their ids');
      this.#topicIds.push(id);
      this.#topicId = topicId;
    } else if (last !== undefined && last.partition > partition) {
      throw new RangeError('log file: partitions are not in order');
    }
    const section = {
      topic: this.#topicIds.length - 1,
      partition,
      byteStart: this.#writer.bytes,
      byteLength: 0,
      batchCount: 0,
      recordCount: 0,
      baseOffset,
      nextOffset: baseOffset,
    };
    this.#sections.push(section);
    return section;
  }
}
