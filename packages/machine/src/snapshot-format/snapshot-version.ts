/**
 * Raise the version with every change of the layout, and keep a reader of the one before: a new release begins with the snapshot
 * of the old one. Something new is a part of its own at the end (parts.ts) and needs no new version.
 */
export const snapshotVersion = 2;

export const snapshotMagic = Buffer.from('WEIRCLUS', 'latin1');
/** Magic, byte order mark and version. */
export const snapshotHeadBytes = 16;

/** Reads as something else on a machine that stores numbers the other way round. */
export const byteOrderMark = 0x01020304;

/** The version that the first bytes of a snapshot name; 0 where they are not those of a snapshot of this machine. */
export function snapshotVersionOf(head: Buffer): number {
  if (head.length < snapshotHeadBytes) return 0;
  if (!head.subarray(0, snapshotMagic.length).equals(snapshotMagic)) return 0;
  const numbers = Uint8Array.from(head.subarray(snapshotMagic.length, snapshotHeadBytes));
  const [foundMark, version] = new Uint32Array(numbers.buffer);
  return foundMark === byteOrderMark ? version! : 0;
}
