/**
 * Raise the version with every change of the layout, and retain the reader of the previous one: a new release starts
 * from the snapshot of the old one. An addition is a new part at the end (parts.ts) and needs no new version.
 */
export const snapshotVersion = 2;

export const snapshotMagic = Buffer.from('WEIRCLUS', 'latin1');
/** Magic, byte order mark and version. */
export const snapshotHeadBytes = 16;

/** Has another value on a machine with the other byte order. */
export const byteOrderMark = 0x01020304;

/** Returns the version in the header of a snapshot; 0 if it is not a snapshot of this machine. */
export function snapshotVersionOf(head: Buffer): number {
  if (head.length < snapshotHeadBytes) return 0;
  if (!head.subarray(0, snapshotMagic.length).equals(snapshotMagic)) return 0;
  const numbers = Uint8Array.from(head.subarray(snapshotMagic.length, snapshotHeadBytes));
  const [foundMark, version] = new Uint32Array(numbers.buffer);
  return foundMark === byteOrderMark ? version! : 0;
}
