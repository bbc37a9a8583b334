import type { RecentReplies, RecentReply } from '../replies/recent-replies.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';

/** Writes answers by age. File ids have a shorter format than other ids. */
export function* writeReplies(
  replies: readonly RecentReply[],
  writer: SnapshotWriter,
  writeId: (id: string) => void,
): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(replies.length);
  for (const { id, atMs, reply } of replies) {
    writeId(id);
    fields.varint(atMs);
    fields.varint(reply.length);
    fields.raw(reply);
    yield* writer.cut();
  }
}

export function readReplies(replies: RecentReplies, { fields }: SnapshotReader, readId: () => string): void {
  for (let left = fields.varint(); left > 0; left--) {
    const id = readId();
    const atMs = fields.varint();
    // `add` copies the reply, so that one answer does not retain the whole snapshot in memory.
    const reply = fields.raw(fields.varint());
    replies.add(id, atMs, reply);
  }
}
