import { parse as parseYamlText, stringify as printYaml } from 'yaml';
import { getBytes, getString } from '../go/coerce.ts';
import { parseCsv } from '../go/csv.ts';
import { parseMsgpack, printMsgpack } from '../go/msgpack.ts';
import { parseForm, parseUrl } from '../go/url.ts';
import { parseXml } from '../go/xml.ts';
import type { Frame } from '../runtime/frame.ts';
import { type MethodSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { chargeTree } from '../values/check-size.ts';
import { fail, wrongType } from '../values/mapping-error.ts';
import { parseJson } from '../values/parse-json.ts';
import { setField } from '../values/path.ts';
import { printJson } from '../values/print-json.ts';
import { Bytes, Float, isObject, Timestamp, type Value, type ValueObject } from '../values/value.ts';

const category = 'parsing';

function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Bytes) return value.buffer.toString('utf8');
  throw wrongType(value, 'string');
}

const jsonMethod: NonNullable<MethodSpec['make']> = () => (value, frame) => {
  const text = textOf(value);
  frame.run.budget.build(text.length);
  return parseJson(text, (why) => `failed to parse value as JSON: ${why}`);
};

const formatJson: NonNullable<MethodSpec['make']> = (args) => {
  const indent = args.bool('no_indent') ? undefined : args.string('indent');
  const escapesHtml = args.bool('escape_html');
  return (value, frame) => built(printJson(value, { indent, escapesHtml }), frame);
};

function built(text: string, frame: Frame): Bytes {
  frame.run.budget.build(text.length);
  frame.run.budget.step(text.length >>> 3);
  return new Bytes(Buffer.from(text, 'utf8'));
}

/** YAML has no limit of its own on what aliases expand to. */
const aliasesMax = 100;

function yamlValue(value: unknown, depth = 0): Value {
  if (depth > 500) return fail('failed to parse value as YAML: it is nested too deeply');
  if (value === undefined || value === null) return null;
  if (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'bigint'
  )
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map((element) => yamlValue(element, depth + 1));
  const object: ValueObject = {};
  for (const [key, inner] of value instanceof Map ? value : Object.entries(value as object))
    setField(object, String(key), yamlValue(inner, depth + 1));
  return object;
}

/** Values of a few bytes take more memory than their text; each counts as one of its bytes. */
const valueBytes = 8;

/** Reads bytes; errors of the reader are errors of the mapping. */
function read(bytes: Buffer, frame: Frame, parse: (bytes: Buffer) => Value, prefix: string): Value {
  frame.run.budget.step(bytes.length >>> 3);
  frame.run.budget.build(bytes.length * valueBytes);
  try {
    return parse(bytes);
  } catch (error) {
    return fail(`${prefix}${(error as Error).message}`);
  }
}

const xmlMethod: NonNullable<MethodSpec['make']> = (args) => {
  const casts = args.bool('cast');
  return (value, frame) =>
    read(getBytes(value), frame, (bytes) => parseXml(bytes, { casts }), 'failed to parse value as XML: ');
};

const msgpackMethod: NonNullable<MethodSpec['make']> = () => (value, frame) =>
  read(getBytes(value), frame, parseMsgpack, 'failed to parse value as MessagePack: ');

const formatMsgpack: NonNullable<MethodSpec['make']> = () => (value, frame) => {
  chargeTree(value, frame.run.budget, 1);
  return new Bytes(printMsgpack(value));
};

const parseYaml: NonNullable<MethodSpec['make']> = () => (value, frame) => {
  const text = textOf(value);
  frame.run.budget.build(8 * text.length);
  let parsed: unknown;
  try {
    // Reading an integer takes more than its digits; those of 64 bits have 20.
    const intAsBigInt = !/\d{40}/.test(text);
    parsed = parseYamlText(text, { maxAliasCount: aliasesMax, intAsBigInt, logLevel: 'silent' });
  } catch (error) {
    return fail(
      `failed to parse value as YAML: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`,
    );
  }
  return yamlValue(parsed);
};

/** Printing a value as YAML takes as long as that many steps. */
const yamlSteps = 16;

/** Values as the printer of YAML knows them. */
function plainValue(value: Value): unknown {
  if (value instanceof Float) return value.value;
  if (value instanceof Bytes) return [...value.buffer];
  if (value instanceof Timestamp) return value.toJSON();
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

const formatYaml: NonNullable<MethodSpec['make']> = () => (value, frame) => {
  chargeTree(value, frame.run.budget, yamlSteps);
  const text = printYaml(plainValue(value), {
    indent: 4,
    sortMapEntries: true,
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });
  return built(text, frame);
};

const csv: NonNullable<MethodSpec['make']> = (args) => {
  const [hasHeader, delimiter, isLazy] = [
    args.bool('parse_header_row'),
    args.string('delimiter'),
    args.bool('lazy_quotes'),
  ];
  return (value, frame) => {
    if ([...delimiter].length !== 1) fail('delimiter value must be exactly one character');
    const text = textOf(value);
    frame.run.budget.build(8 * text.length);
    const records = parseCsv(text, delimiter, isLazy);
    if (records.length === 0) fail('zero records were parsed');
    if (!hasHeader) return records;
    const [header, ...rows] = records as [string[], ...string[][]];
    return rows.map((row) => {
      const object: ValueObject = {};
      for (const [index, field] of row.entries()) setField(object, header[index]!, field);
      return object;
    });
  };
};

const url: NonNullable<MethodSpec['make']> = () => (value) => {
  const parsed = parseUrl(getString(value));
  const { name, password } = parsed.user ?? {};
  return {
    fragment: parsed.fragment,
    host: parsed.host,
    opaque: parsed.opaque,
    path: parsed.path,
    raw_fragment: parsed.rawFragment,
    raw_path: parsed.rawPath,
    raw_query: parsed.rawQuery,
    scheme: parsed.scheme,
    ...(name === undefined ? {} : { user: password === undefined ? { name } : { name, password } }),
  };
};

const form: NonNullable<MethodSpec['make']> = () => (value) => {
  const object: ValueObject = {};
  for (const [key, values] of parseForm(getString(value)))
    setField(object, key, values.length === 1 ? values[0]! : values);
  return object;
};

const scaleMax = 16_383;
const decimalBytesMax = 8192;

/** A decimal of Kafka Connect: the unscaled integer in two's complement. */
function decimalText(bytes: Buffer, scale: number): string {
  if (bytes.length === 0) fail('cannot parse empty bytes as big decimal');
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
  if (scale === 0) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export const parsingMethods: readonly MethodSpec[] = [
  {
    name: 'parse_json',
    category,
    doc: 'Reads a JSON document.',
    params: [optional(param.bool('use_number'))],
    make: jsonMethod,
  },
  {
    name: 'format_json',
    category,
    doc: 'Prints a value as JSON, with indentation by default.',
    params: [
      withDefault(param.string('indent'), '    '),
      withDefault(param.bool('no_indent'), false),
      withDefault(param.bool('escape_html'), true),
    ],
    make: formatJson,
  },
  {
    name: 'parse_xml',
    category,
    doc: 'Reads an XML document: attributes have names behind `-`, texts beside them `#text`.',
    params: [withDefault(param.bool('cast'), false)],
    make: xmlMethod,
  },
  { name: 'parse_msgpack', category, doc: 'Reads a value of MessagePack.', params: [], make: msgpackMethod },
  {
    name: 'format_msgpack',
    category,
    doc: 'Prints a value as MessagePack.',
    params: [],
    make: formatMsgpack,
  },
  { name: 'parse_yaml', category, doc: 'Reads a YAML document.', params: [], make: parseYaml },
  { name: 'format_yaml', category, doc: 'Prints a value as YAML.', params: [], make: formatYaml },
  {
    name: 'parse_csv',
    category,
    doc: 'Reads rows of CSV: objects by the header, or arrays.',
    params: [
      withDefault(param.bool('parse_header_row'), true),
      withDefault(param.string('delimiter'), ','),
      withDefault(param.bool('lazy_quotes'), false),
    ],
    make: csv,
  },
  { name: 'parse_url', category, doc: 'Reads the parts of a URL.', params: [], make: url },
  {
    name: 'parse_form_url_encoded',
    category,
    doc: 'Reads the fields of a form, as a query string has them.',
    params: [],
    make: form,
  },
  {
    name: 'parse_big_decimal',
    category,
    doc: 'Reads the bytes of a decimal of Kafka Connect and yields its text.',
    params: [param.integer('scale')],
    make: (args) => {
      const scale = args.integer('scale');
      if (scale < 0 || scale > scaleMax) fail(`scale must be between 0 and ${scaleMax}, got ${scale}`);
      return (value, frame) => {
        const bytes = getBytes(value);
        if (bytes.length > decimalBytesMax) fail(`a big decimal has at most ${decimalBytesMax} bytes`);
        frame.run.budget.step(bytes.length);
        return decimalText(bytes, scale);
      };
    },
  },
];
