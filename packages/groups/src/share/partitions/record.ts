import { type ByteReader, type ByteWriter, UnreadableBytes } from '@weir/machine';
import { available, done, SharePartition, type Span, sizeOf } from './share-partition.ts';

/**
 * The stored form of a share partition: the start offset, and the window after it with finished records and delivery
 * counts. Locks are not stored: after a failover any member may acquire records that were locked.
 *
 * Journals outlive releases: another layout gets another number, and the old one stays readable.
 */
const layout = 1;

/** The code of a span: 0 acknowledged, 1 archived, from 2 on the delivery count of unfinished records. */
const firstCountCode = 2;

export function writeSharePartition({ startOffset, spans }: SharePartition, writer: ByteWriter): void {
  writer.u8(layout);
  writer.varint(startOffset);
  const runs: { code: number; count: number }[] = [];
  for (const span of spans) {
    const code = codeOf(span);
    const before = runs.at(-1);
    if (before?.code === code) before.count += sizeOf(span);
    else runs.push({ code, count: sizeOf(span) });
  }
  writer.varint(runs.length);
  for (const { code, count } of runs) {
    writer.varint(code);
    writer.varint(count);
  }
}

export function readSharePartition(reader: ByteReader): SharePartition {
  const found = reader.u8();
  if (found !== layout)
    throw new UnreadableBytes(`this release does not support layout ${found} of a share partition`);
  const partition = new SharePartition(reader.varint());
  for (let left = reader.varint(); left > 0; left--) {
    const code = reader.varint();
    const first = partition.endOffset;
    const range = { first, last: first + reader.varint() - 1 };
    if (range.last < first) throw new UnreadableBytes('a share partition has a span without records');
    if (code >= firstCountCode) partition.append(available(range, code - firstCountCode));
    else partition.append(done(range, code === 0 ? 'acknowledged' : 'archived'));
  }
  reader.end();
  partition.tidy();
  return partition;
}

function codeOf({ state, deliveryCount }: Span): number {
  if (state === 'acknowledged') return 0;
  return state === 'archived' ? 1 : firstCountCode + deliveryCount;
}
