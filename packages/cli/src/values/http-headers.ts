import type { ValueType } from './value-type.ts';

interface HttpHeader {
  readonly name: string;
  readonly value: string;
}

const written = 'name=value, separated by commas and with other characters percent-encoded,';

/** Headers of outgoing requests, as OpenTelemetry writes them: `authorization=Bearer%20abc,x-tenant=1`. */
export function httpHeaders(): ValueType<readonly HttpHeader[]> {
  return {
    label: 'HTTP headers',
    syntax: '`authorization=Bearer%20abc,x-tenant=1`',
    empty: [],
    parse(text) {
      const headers: HttpHeader[] = [];
      for (const [index, part] of text.split(',').entries()) {
        const [, name, encoded] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
        const value = encoded === undefined ? undefined : decoded(encoded);
        if (name === undefined || value === undefined)
          return { problem: `${written} is needed; header ${index + 1} is not` };
        headers.push({ name: name.toLowerCase(), value });
      }
      const names = headers.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return twice === undefined ? { value: headers } : { problem: 'a header is listed twice' };
    },
    print: (headers) => headers.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join(','),
  };
}

/** Decodes a value. An invalid header value would fail every push, and the reason would be hard to find. */
function decoded(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /^[\t\x20-\x7e]*$/.test(value) && value.trim() === value ? value : undefined;
  } catch {
    return undefined;
  }
}
