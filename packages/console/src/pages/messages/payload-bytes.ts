/** The bytes of base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

const bytesPerRow = 16;

/** Rows of offset, hex digits and printable ASCII, as `hexdump -C` prints them. */
export function hexRows(bytes: Uint8Array, rowsMax: number): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length && rows.length < rowsMax; at += bytesPerRow) {
    const row = bytes.subarray(at, at + bytesPerRow);
    const digits = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'));
    rows.push(
      `${at.toString(16).padStart(8, '0')}  ${digits.padEnd(bytesPerRow * 3 - 1)}  ${ascii.join('')}`,
    );
  }
  return rows.join('\n');
}

export const hexRowsOf = (bytes: number): number => Math.ceil(bytes / bytesPerRow);
