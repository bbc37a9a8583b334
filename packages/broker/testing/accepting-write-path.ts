import type { AppendOutcome, ProducedBatch } from '../src/write-path/produced-batch.ts';
import type { WritePath } from '../src/write-path/write-path.ts';

/** A write path that accepts all batches, and where they can be seen. */
export function acceptingWritePath(): { appended: ProducedBatch[]; writePath: WritePath } {
  const appended: ProducedBatch[] = [];
  const append = async (batches: readonly ProducedBatch[]): Promise<AppendOutcome> => {
    appended.push(...batches);
    const results = batches.map(() => ({ error: 'NONE', baseOffset: 0, logStartOffset: 0 }) as const);
    return { results, throttleTimeMs: 0 };
  };
  const begin: WritePath['begin'] = (batches, _, onOutcome) => void append(batches).then(onOutcome);
  return { appended, writePath: { append, begin } as unknown as WritePath };
}
