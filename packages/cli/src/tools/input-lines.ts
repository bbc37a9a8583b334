import { Failure, formatBytes, MiB } from '@weir/core';

/**
 * The largest record that any cluster accepts. A longer line cannot be a record, and a file without line ends is a
 * mistake.
 */
const lineBytesMax = 128 * MiB;

/** Yields lines without their ends, in groups as they arrive: typed lines at once, piped input in large pieces. */
export async function* inputLines(
  input: AsyncIterable<Uint8Array>,
  bytesMax: number = lineBytesMax,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  let lineNumber = 1;
  for await (const chunk of input) {
    const lines: Buffer[] = [];
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a)) {
      lines.push(withoutReturn(Buffer.concat([...parts, bytes.subarray(0, end)])));
      lineNumber++;
      parts = [];
      partBytes = 0;
      bytes = bytes.subarray(end + 1);
    }
    partBytes += bytes.length;
    if (partBytes > bytesMax) {
      throw new Failure(`line ${lineNumber} of the input is longer than ${formatBytes(bytesMax)}`);
    }
    // The stream may reuse the memory of a chunk.
    if (bytes.length > 0) parts.push(Buffer.from(bytes));
    if (lines.length > 0) yield lines;
  }
  // The last line needs no line end.
  if (partBytes > 0) yield [withoutReturn(Buffer.concat(parts))];
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
