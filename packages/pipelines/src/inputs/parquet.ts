import { componentOf } from '../component/component-spec.ts';
import { bool, int, list, string } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { filesMatching } from './files-matching.ts';

type OpenedFile = import('../parquet/local-file.ts').LocalParquetFile;

/** The rows of files, one file after the other. */
class ParquetInput implements Input {
  readonly #paths: string[];
  readonly #batchCount: number;
  #file: OpenedFile | undefined;

  constructor(paths: readonly string[], batchCount: number) {
    this.#paths = [...paths];
    this.#batchCount = batchCount;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      if (this.#file === undefined) {
        const path = this.#paths.shift();
        if (path === undefined) return undefined;
        const { LocalParquetFile } = await import('../parquet/local-file.ts');
        this.#file = await LocalParquetFile.open(path);
      }
      const rows = await this.#file.next(this.#batchCount);
      if (rows.length > 0) return { batch: rows.map((row) => Message.of(row)), settle() {} };
      await this.#end();
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#end();
  }

  async #end(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

export const parquet = componentOf('input', {
  name: 'parquet',
  about: 'Reads the rows of Parquet files, one file after the other.',
  availability: 'local',
  fields: {
    paths: list('Paths of files; `*`, `**`, `?`, `[a-z]` stand for several.', string('A path.')),
    batch_count: int('Rows of a batch.')
      .or(1)
      .check((count) => (count < 1 ? 'has to be 1 or more' : undefined))
      .advanced(),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  async open({ paths, batch_count: batchCount, auto_replay_nacks: replays }, { clock }) {
    const input = new ParquetInput(await filesMatching(paths), batchCount);
    return replays ? new ReplayedInput(input, clock) : input;
  },
});
