import { getString } from '../go/coerce.ts';
import { escapeHtml, stripHtml, unescapeHtml } from '../go/html.ts';
import { quote, unquote } from '../go/quote.ts';
import { sprintf } from '../go/sprintf.ts';
import { byteIndexOf, lowerCased, titleCased, trimmedOf, trimmedSpace, upperCased } from '../go/text.ts';
import { escapeUrl, unescapeUrl } from '../go/url.ts';
import type { Frame } from '../runtime/frame.ts';
import { type MethodBody, type MethodSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { fail, prefixed, wrongType } from '../values/mapping-error.ts';
import { Bytes, type Value } from '../values/value.ts';

const category = 'strings';

/** A method of strings that does the same to the text of byte arrays, and yields what it was given. */
function onText(change: (text: string, frame: Frame) => string): MethodBody {
  return (value, frame) => {
    if (typeof value !== 'string' && !(value instanceof Bytes)) throw wrongType(value, 'string');
    const text = typeof value === 'string' ? value : value.buffer.toString('utf8');
    const changed = change(text, frame);
    if (changed.length > text.length) frame.run.budget.build(changed.length);
    return typeof value === 'string' ? changed : new Bytes(Buffer.from(changed, 'utf8'));
  };
}

/** A method of what reads as a string; it yields a string. */
function onString(change: (text: string, frame: Frame) => Value): MethodBody {
  return (value, frame) => {
    const text = getString(value);
    const changed = change(text, frame);
    if (typeof changed === 'string' && changed.length > text.length) frame.run.budget.build(changed.length);
    return changed;
  };
}

/** A question about a string or a byte array. */
function asking(ask: (text: string) => Value, askBytes: (bytes: Buffer) => Value): MethodBody {
  return (value) => {
    if (typeof value === 'string') return ask(value);
    if (value instanceof Bytes) return askBytes(value.buffer);
    throw wrongType(value, 'string');
  };
}

/** What a replacement makes of a text is charged before it is made. */
function replaced(text: string, from: string, to: string, frame: Frame): string {
  if (from === '') {
    frame.run.budget.build((text.length + 1) * (to.length + 1));
    return to + [...text].map((character) => character + to).join('');
  }
  if (to.length > from.length) {
    const count = text.split(from).length - 1;
    frame.run.budget.build(text.length + count * (to.length - from.length));
  }
  return text.replaceAll(from, () => to);
}

const replaceAll: NonNullable<MethodSpec['make']> = (args) => {
  const [from, to] = [args.string('old'), args.string('new')];
  return onText((text, frame) => replaced(text, from, to, frame));
};

const replaceMany: NonNullable<MethodSpec['make']> = (args) => {
  const items = args.array('values');
  if (items.length % 2 !== 0) fail('invalid arg, replacements should be in pairs and must therefore be even');
  const texts = items.map((item, index) => {
    try {
      return getString(item);
    } catch (error) {
      throw prefixed(error, `invalid replacement value at index ${index}`);
    }
  });
  return onText((text, frame) => {
    let result = text;
    for (let index = 0; index < texts.length; index += 2)
      result = replaced(result, texts[index]!, texts[index + 1]!, frame);
    return result;
  });
};

const repeat: NonNullable<MethodSpec['make']> = (args) => {
  const count = Math.max(0, args.integer('count'));
  return (value, frame) => {
    if (typeof value !== 'string' && !(value instanceof Bytes)) throw wrongType(value, 'string');
    const length = typeof value === 'string' ? value.length : value.buffer.length;
    frame.run.budget.build(length * count);
    if (length === 0) return value;
    return typeof value === 'string'
      ? value.repeat(count)
      : new Bytes(Buffer.alloc(length * count, value.buffer));
  };
};

/** Joins elements of a path and removes `.` and `..` where that is possible. */
function joinedPath(elements: readonly string[]): string {
  const joined = elements.filter((element) => element !== '').join('/');
  if (joined === '') return '';
  const isRooted = joined.startsWith('/');
  const kept: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push('..');
  }
  const path = kept.join('/');
  return isRooted ? `/${path}` : path === '' ? '.' : path;
}

const filepathJoin: MethodBody = (value) => {
  if (!Array.isArray(value)) throw wrongType(value, 'array');
  return joinedPath(
    value.map((element, index) => {
      try {
        return getString(element);
      } catch (error) {
        throw prefixed(error, `path element ${index}`);
      }
    }),
  );
};

/** Words of ASCII letters and digits with dashes between them. */
function slug(text: string, language: string): string {
  const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'ae', Ö: 'oe', Ü: 'ue', ß: 'ss' };
  const and = ({ en: 'and', de: 'und', fr: 'et', es: 'y', nl: 'en', it: 'e' } as Record<string, string>)[
    language
  ];
  const words = (language === 'de' ? text.replace(/[äöüÄÖÜß]/g, (found) => umlauts[found]!) : text)
    .replaceAll('&', ` ${and ?? 'and'} `)
    .replaceAll('@', ' at ')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’"]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-_]+/, '');
  // A pattern for the end would try every run of dashes.
  let end = words.length;
  while (words[end - 1] === '-' || words[end - 1] === '_') end--;
  return words.slice(0, end);
}

const plain = (name: string, doc: string, body: MethodBody): MethodSpec => ({
  name,
  category,
  doc,
  params: [],
  make: () => body,
});

const replaceParams = [param.string('old'), param.string('new')];

export const stringMethods: readonly MethodSpec[] = [
  plain('uppercase', 'Yields the string in large letters.', onText(upperCased)),
  plain('lowercase', 'Yields the string in small letters.', onText(lowerCased)),
  plain('capitalize', 'Begins every word with a large letter.', onText(titleCased)),
  plain('escape_html', 'Escapes <, >, &, \' and " for HTML.', onString(escapeHtml)),
  plain('unescape_html', 'Resolves numeric entities and the names of HTML 4.', onString(unescapeHtml)),
  plain(
    'escape_url_query',
    'Escapes a string for the query of a URL.',
    onString((text) => escapeUrl(text, 'query')),
  ),
  plain(
    'unescape_url_query',
    'Resolves escapes of the query of a URL.',
    onString((text) => unescapeUrl(text, 'query')),
  ),
  plain('quote', 'Puts a string in quotes and escapes what cannot be printed.', onString(quote)),
  plain('unquote', 'Removes quotes and resolves escapes.', onString(unquote)),
  plain('filepath_join', 'Joins an array of strings to a path of a file.', filepathJoin),
  plain(
    'filepath_split',
    'Splits a path into its folder and its file.',
    onString((text) => {
      const end = text.lastIndexOf('/') + 1;
      return [text.slice(0, end), text.slice(end)];
    }),
  ),
  plain('reverse', 'Yields the characters of a string, or bytes, in reverse order.', (value) => {
    if (typeof value === 'string') return [...value].reverse().join('');
    if (value instanceof Bytes) return new Bytes(Buffer.from(value.buffer).reverse());
    throw wrongType(value, 'string');
  }),
  {
    name: 'format',
    category,
    doc: 'Fills the verbs of a format string, as those of Go, with the arguments.',
    params: 'variadic',
    make: (args) => onString((text, frame) => sprintf(text, args.list, frame.run.budget)),
  },
  {
    name: 'has_prefix',
    category,
    doc: 'Whether a string begins with the argument.',
    params: [param.string('value')],
    make: (args) => {
      const wanted = args.string('value');
      const bytes = Buffer.from(wanted, 'utf8');
      return asking(
        (text) => text.startsWith(wanted),
        (buffer) => buffer.subarray(0, bytes.length).equals(bytes),
      );
    },
  },
  {
    name: 'has_suffix',
    category,
    doc: 'Whether a string ends with the argument.',
    params: [param.string('value')],
    make: (args) => {
      const wanted = args.string('value');
      const bytes = Buffer.from(wanted, 'utf8');
      return asking(
        (text) => text.endsWith(wanted),
        (buffer) =>
          buffer.length >= bytes.length && buffer.subarray(buffer.length - bytes.length).equals(bytes),
      );
    },
  },
  {
    name: 'index_of',
    category,
    doc: 'Yields the position, in bytes, of the argument in a string, or -1.',
    params: [param.string('value')],
    make: (args) => {
      const wanted = args.string('value');
      return asking(
        (text) => byteIndexOf(text, wanted),
        (buffer) => buffer.indexOf(wanted),
      );
    },
  },
  {
    name: 'repeat',
    category,
    doc: 'Repeats a string.',
    params: [param.integer('count')],
    make: repeat,
  },
  {
    name: 'replace_all',
    category,
    doc: 'Replaces a text everywhere.',
    params: replaceParams,
    make: replaceAll,
  },
  {
    name: 'replace',
    category,
    doc: 'Is `replace_all`.',
    status: 'hidden',
    params: replaceParams,
    make: replaceAll,
  },
  {
    name: 'replace_all_many',
    category,
    doc: 'Replaces texts by the texts that follow them in an array, one pair after the other.',
    params: [param.array('values')],
    make: replaceMany,
  },
  {
    name: 'replace_many',
    category,
    doc: 'Is `replace_all_many`.',
    status: 'hidden',
    params: [param.array('values')],
    make: replaceMany,
  },
  {
    name: 'slug',
    category,
    doc: 'Yields a text for a path of a URL: small ASCII letters, digits and dashes.',
    status: 'beta',
    params: [withDefault(optional(param.string('lang')), 'en')],
    make: (args) => onString((text) => slug(text, args.string('lang'))),
  },
  {
    name: 'strip_html',
    category,
    doc: 'Removes HTML elements, except those whose names are preserved.',
    params: [optional(param.array('preserve'))],
    make: (args) => {
      const preserved = (args.optionalArray('preserve') ?? []).map((name, index) => {
        if (typeof name !== 'string')
          throw prefixed(wrongType(name, 'string'), `invalid arg at index ${index}`);
        return name.toLowerCase();
      });
      return onText((text) => stripHtml(text, new Set(preserved)));
    },
  },
  {
    name: 'trim',
    category,
    doc: 'Removes characters of the argument, or spaces, from both ends.',
    params: [optional(param.string('cutset'))],
    make: (args) => {
      const cutset = args.optionalString('cutset');
      return onText((text) => (cutset === undefined ? trimmedSpace(text) : trimmedOf(text, cutset)));
    },
  },
  {
    name: 'trim_prefix',
    category,
    doc: 'Removes the argument from the start.',
    params: [param.string('prefix')],
    make: (args) => {
      const prefix = args.string('prefix');
      return onText((text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text));
    },
  },
  {
    name: 'trim_suffix',
    category,
    doc: 'Removes the argument from the end.',
    params: [param.string('suffix')],
    make: (args) => {
      const suffix = args.string('suffix');
      return onText((text) =>
        suffix !== '' && text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
      );
    },
  },
];
