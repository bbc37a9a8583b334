import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, normalize } from 'node:path';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { interpolated } from '../component/field-types.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { LimitedOutput } from '../engine/limited-output.ts';
import { codec, encoded, type WriterCodec } from './codec.ts';

/** Writes to files; one is open at a time. */
class FileOutput implements Output {
  readonly #path: Interpolated;
  readonly #codec: WriterCodec;
  readonly #context: ComponentContext;
  #opened: { readonly path: string; readonly handle: FileHandle } | undefined;

  constructor(path: Interpolated, writer: WriterCodec, context: ComponentContext) {
    this.#path = path;
    this.#codec = writer;
    this.#context = context;
  }

  async write(batch: Batch): Promise<void> {
    const failed = new Map<number, Error>();
    for (const index of batch.keys())
      try {
        await this.#writeOne(batch, index);
      } catch (error) {
        failed.set(index, error as Error);
      }
    if (failed.size > 0) throw new BatchFailure(failed);
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
  }

  async #writeOne(batch: Batch, index: number): Promise<void> {
    const path = normalize(this.#path.text(batch, index, this.#context.mappingPorts));
    const content = encoded(batch[index]!.content, this.#codec);
    if (this.#opened?.path !== path || !this.#codec.appends) {
      await this.close();
      await mkdir(dirname(path), { recursive: true });
      this.#opened = { path, handle: await open(path, this.#codec.appends ? 'a' : 'w') };
    }
    await this.#opened.handle.writeFile(content);
  }
}

export const file = componentOf('output', {
  name: 'file',
  about: 'Writes to files.',
  availability: 'local',
  fields: {
    path: interpolated('The path of the file for a message; it is made if it is not there.'),
    codec: codec.or('lines'),
  },
  open: ({ path, codec: writer }, context) => new LimitedOutput(new FileOutput(path, writer, context), 1),
});
