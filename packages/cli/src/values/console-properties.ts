/** The properties by which Kafka's console tools read lines and print records, with their defaults. */

import { nearestName } from '@weir/core';
import type { Outcome } from '../outcome.ts';
import type { Property } from './property.ts';

export interface LineProperties {
  readonly 'parse.key': boolean;
  readonly 'key.separator': string;
  /** Whether a line without its separators is a value as a whole, and no mistake. */
  readonly 'ignore.error': boolean;
  readonly 'parse.headers': boolean;
  readonly 'headers.delimiter': string;
  readonly 'headers.separator': string;
  readonly 'headers.key.separator': string;
  /** The text that stands for null; empty for none. */
  readonly 'null.marker': string;
}

export interface PrintProperties {
  readonly 'print.timestamp': boolean;
  readonly 'print.partition': boolean;
  readonly 'print.offset': boolean;
  readonly 'print.headers': boolean;
  readonly 'print.key': boolean;
  readonly 'print.value': boolean;
  readonly 'key.separator': string;
  readonly 'line.separator': string;
  readonly 'headers.separator': string;
  readonly 'null.literal': string;
}

const lineDefaults: LineProperties = {
  'parse.key': false,
  'key.separator': '\t',
  'ignore.error': false,
  'parse.headers': false,
  'headers.delimiter': '\t',
  'headers.separator': ',',
  'headers.key.separator': ':',
  'null.marker': '',
};

const printDefaults: PrintProperties = {
  'print.timestamp': false,
  'print.partition': false,
  'print.offset': false,
  'print.headers': false,
  'print.key': false,
  'print.value': true,
  'key.separator': '\t',
  'line.separator': '\n',
  'headers.separator': ',',
  'null.literal': 'null',
};

export function readLineProperties(given: readonly Property[]): Outcome<LineProperties, string> {
  const read = readProperties(lineDefaults, given);
  if ('problem' in read) return read;
  const separators = [
    'key.separator',
    'headers.delimiter',
    'headers.separator',
    'headers.key.separator',
  ] as const;
  const empty = separators.find((name) => read.value[name] === '');
  return empty === undefined ? read : { problem: `${empty} is empty` };
}

export function readPrintProperties(given: readonly Property[]): Outcome<PrintProperties, string> {
  return readProperties(printDefaults, given);
}

function readProperties<Properties extends object>(
  defaults: Properties,
  given: readonly Property[],
): Outcome<Properties, string> {
  const properties = { ...defaults } as Record<string, unknown>;
  const names = Object.keys(defaults);
  for (const { name, value } of given) {
    if (!Object.hasOwn(defaults, name)) {
      const nearest = nearestName(name, names);
      const hint =
        nearest === undefined ? `the properties are ${names.join(', ')}` : `did you mean ${nearest}?`;
      return { problem: `unknown property; ${hint}` };
    }
    const isSwitch = typeof defaults[name as keyof Properties] === 'boolean';
    if (isSwitch && !/^(?:true|false)$/i.test(value)) return { problem: `${name} is true or false` };
    properties[name] = isSwitch ? value.toLowerCase() === 'true' : value;
  }
  return { value: properties as Properties };
}
