import { fail, MappingError } from '../values/mapping-error.ts';

/** What a part of a URL leaves as it is. */
const unescaped = {
  query: /[A-Za-z0-9\-_.~]/,
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
} as const;

type Part = keyof typeof unescaped;

export function escapeUrl(text: string, part: Part): string {
  let escaped = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte);
    if (byte < 0x80 && unescaped[part].test(character)) escaped += character;
    else if (part === 'query' && character === ' ') escaped += '+';
    else escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

export function unescapeUrl(text: string, part: Part | 'host'): string {
  if (!/[%+]/.test(text)) return text;
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text);
  if (wrong) fail(`invalid URL escape ${JSON.stringify(wrong[0])}`);
  const bytes: number[] = [];
  const source = Buffer.from(text, 'utf8');
  for (let index = 0; index < source.length; index++) {
    const byte = source[index]!;
    if (byte === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', index + 1, index + 3), 16));
      index += 2;
    } else bytes.push(byte === 0x2b && part === 'query' ? 0x20 : byte);
  }
  return Buffer.from(bytes).toString('utf8');
}

interface ParsedUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  readonly host: string;
  readonly path: string;
  /** The path as it was written, if that is not how it would be escaped. */
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly fragment: string;
  readonly rawFragment: string;
}

/** Go's `url.Parse`. */
export function parseUrl(text: string): ParsedUrl {
  const [beforeFragment, fragmentText] = cut(text, '#');
  const shown = JSON.stringify(beforeFragment.slice(0, 200));
  try {
    return parsedUrl(beforeFragment, fragmentText ?? '');
  } catch (error) {
    if (error instanceof MappingError) return fail(`parse ${shown}: ${error.message}`);
    throw error;
  }
}

function parsedUrl(text: string, fragmentText: string): ParsedUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) fail('net/url: invalid control character in URL');
  const fragment = unescapeUrl(fragmentText, 'fragment');
  const rawFragment = escapeUrl(fragment, 'fragment') === fragmentText ? '' : fragmentText;
  if (text.startsWith(':')) fail('missing protocol scheme');
  const schemeText = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(text)?.[0];
  const scheme = schemeText?.toLowerCase() ?? '';
  const afterScheme = schemeText === undefined ? text : text.slice(schemeText.length + 1);
  const [beforeQuery, rawQuery = ''] = cut(afterScheme, '?');
  const common = { scheme, rawQuery, fragment, rawFragment };
  const nothing = { opaque: '', user: undefined, host: '', path: '', rawPath: '' };
  if (!beforeQuery.startsWith('/')) {
    if (scheme !== '') return { ...nothing, ...common, opaque: beforeQuery };
    if (/^[^/]*:/.test(beforeQuery)) fail('first path segment in URL cannot contain colon');
  }
  const hasAuthority = beforeQuery.startsWith('//') && (scheme !== '' || !beforeQuery.startsWith('///'));
  if (!hasAuthority) return { ...nothing, ...common, ...pathOf(beforeQuery) };
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(beforeQuery)!;
  return { ...nothing, ...common, ...authorityOf(authority), ...pathOf(path) };
}

function pathOf(text: string): Pick<ParsedUrl, 'path' | 'rawPath'> {
  const path = unescapeUrl(text, 'path');
  return { path, rawPath: escapeUrl(path, 'path') === text ? '' : text };
}

function authorityOf(text: string): Pick<ParsedUrl, 'user' | 'host'> {
  const at = text.lastIndexOf('@');
  const hostText = text.slice(at + 1);
  const port = /^(?:\[[^\]]*\]|[^:[\]]*)(:.*)?$/.exec(hostText);
  if (!port) {
    if (/^\[[^\]]*$/.test(hostText)) fail("missing ']' in host");
    fail(`invalid port ${JSON.stringify(hostText.slice(hostText.lastIndexOf(':')))} after host`);
  }
  if (port![1] !== undefined && !/^:\d*$/.test(port![1]))
    fail(`invalid port ${JSON.stringify(port![1])} after host`);
  if (/[ <>"{}|\\^`]/.test(hostText))
    fail(`invalid character ${JSON.stringify(/[ <>"{}|\\^`]/.exec(hostText)![0])} in host name`);
  const host = unescapeUrl(hostText, 'host');
  if (at < 0) return { host, user: undefined };
  const userText = text.slice(0, at);
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(userText)) fail('net/url: invalid userinfo');
  const [name, password] = cut(userText, ':');
  return {
    host,
    user: {
      name: unescapeUrl(name, 'host'),
      password: password === undefined ? undefined : unescapeUrl(password, 'host'),
    },
  };
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

/** Go's `url.ParseQuery`: values by their keys. */
export function parseForm(text: string): Map<string, string[]> {
  const form = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (pair.includes(';'))
      fail('failed to parse value as url-encoded data: invalid semicolon separator in query');
    const [key, value = ''] = cut(pair, '=');
    const name = unescapeUrl(key, 'query');
    const values = form.get(name) ?? [];
    values.push(unescapeUrl(value, 'query'));
    form.set(name, values);
  }
  return form;
}
