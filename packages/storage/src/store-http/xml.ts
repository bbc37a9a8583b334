/**
 * Reads the flat XML of S3, STS and Azure: elements without attributes that hold text or other elements. An element
 * inside one of the same name does not occur there.
 */

/** The content of the first element of this name, as it is; `undefined` if there is none. */
function contentOf(xml: string, name: string): string | undefined {
  const open = `<${name}>`;
  const start = xml.indexOf(open);
  if (start < 0) return undefined;
  const end = xml.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : xml.slice(start + open.length, end);
}

/** The text of the first element of this name; empty if there is none. */
export function textOf(xml: string, name: string): string {
  return unescapeXml(contentOf(xml, name) ?? '');
}

/**
 * The contents of all elements of this name, whose own elements are read by `textOf`. In one pass, whatever the server
 * sends: an expression would search for an end that is missing from each start.
 */
export function* elementsOf(xml: string, name: string): Generator<string> {
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let at = xml.indexOf(open); at >= 0; ) {
    const end = xml.indexOf(close, at);
    if (end < 0) return;
    yield xml.slice(at + open.length, end);
    at = xml.indexOf(open, end + close.length);
  }
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
