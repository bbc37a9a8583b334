/** One part of a multipart body. */
export interface Part {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly content: Buffer;
}

const crlf = '\r\n';

/** Prints parts; the boundary is a random text that no part has. */
export function printMultipart(parts: readonly Part[], boundary: string): Buffer {
  const pieces: Buffer[] = [];
  for (const { headers, content } of parts) {
    const lines = headers.map(([name, value]) => `${name}: ${headerValue(name, value)}`);
    pieces.push(Buffer.from([`--${boundary}`, ...lines, '', ''].join(crlf)), content, Buffer.from(crlf));
  }
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--${crlf}`)]);
}

/** A line break would begin another header or the body. */
function headerValue(name: string, value: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value))
    throw new Error(
      `the header ${JSON.stringify(name.slice(0, 100))} has a character that headers cannot have`,
    );
  return value;
}

/** The boundary that a content type names, `undefined` if it is not multipart. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^\s*multipart\//i.test(contentType)) return undefined;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

/** Reads the contents of parts. Throws if there are too many or the body ends early. */
export function readMultipart(body: Buffer, boundary: string, partsMax: number): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let at = body.indexOf(delimiter);
  for (;;) {
    if (at < 0) throw new Error('the multipart answer has no end');
    const start = at + delimiter.length;
    if (body.toString('latin1', start, start + 2) === '--') return parts;
    const headersEnd = body.indexOf(`${crlf}${crlf}`, start);
    // A part without headers begins with an empty line, whose line break is also that of the delimiter.
    if (headersEnd < 0) throw new Error('the multipart answer has no end');
    const next = body.indexOf(`${crlf}--${boundary}`, headersEnd + 2);
    if (next < 0) throw new Error('the multipart answer has no end');
    if (parts.length === partsMax) throw new Error(`the multipart answer has more than ${partsMax} parts`);
    parts.push(body.subarray(Math.min(headersEnd + 4, next), next));
    at = next + crlf.length;
  }
}
