const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Cuts concatenated JSON documents apart, without parsing them: `{"a":1} [2] "x"`. What is no document is left to the
 * parser, which says what is wrong.
 */
export function* jsonDocuments(bytes: Buffer): Generator<Buffer> {
  let at = 0;
  for (;;) {
    while (at < bytes.length && isSpace(bytes[at]!)) at++;
    if (at >= bytes.length) return;
    const end = endOfDocument(bytes, at);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function endOfDocument(bytes: Buffer, start: number): number {
  if (bytes[start] === quote) return endOfString(bytes, start);
  if (!opening.has(bytes[start]!)) {
    let at = start + 1;
    while (at < bytes.length && !isSpace(bytes[at]!) && bytes[at] !== quote && !opening.has(bytes[at]!)) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (opening.has(byte)) depth++;
    else if (closing.has(byte) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
}
