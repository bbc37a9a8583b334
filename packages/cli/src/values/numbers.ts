/** The value types that are one number: bytes, durations, integers, fractions, percents, ports, a hex byte. */

import { formatBytes, formatDurationMs, parseBytes, parseDurationMs } from '@weir/core';
import { isInRange, type Range, rangeInWords } from './range.ts';
import type { ValueType } from './value-type.ts';

interface NumberKind {
  readonly label: string;
  /** How a number of this type is written, for the problem when the text is none. */
  readonly written: string;
  readonly syntax: string;
  readonly read: (text: string) => number | undefined;
  readonly print: (value: number) => string;
}

function numberType(kind: NumberKind, range: Range): ValueType<number> {
  const allowed = rangeInWords(range, kind.print);
  return {
    label: kind.label,
    syntax: kind.syntax,
    allowed,
    parse(text) {
      const value = kind.read(text.trim());
      if (value === undefined) return { problem: `${kind.written} is needed` };
      return isInRange(value, range) ? { value } : { problem: `${allowed} is allowed` };
    },
    print: kind.print,
  };
}

/** Bytes. A size of zero is never useful, so zero is rejected here. */
export function bytes(range: Range = {}): ValueType<number> {
  return numberType(
    {
      label: 'bytes',
      written: 'a byte count above 0 such as 64MiB, 16MB or 1048576',
      syntax: '`64MiB`, `16MB`, `1048576`; `MiB` is 1024 × 1024 bytes and `MB` is 1000 × 1000',
      read: readBytes,
      print: formatBytes,
    },
    range,
  );
}

/** A rate, written as the bytes per second. */
export function bytesPerSecond(range: Range = {}): ValueType<number> {
  return numberType(
    {
      label: 'bytes per second',
      written: 'a byte count above 0 such as 5MB, for one second,',
      syntax: 'as bytes',
      read: readBytes,
      print: formatBytes,
    },
    range,
  );
}

/** A duration in milliseconds. */
export function durationMs(range: Range = {}): ValueType<number> {
  return numberType(
    {
      label: 'duration',
      written: 'a duration with a unit such as 250ms, 300s or 1h',
      syntax: '`250ms`, `300s`, `5m`, `1h`, `1h30m`, `7d`, `2w`',
      read: parseDurationMs,
      print: formatDurationMs,
    },
    range,
  );
}

export function int(range: Range = {}): ValueType<number> {
  return numberType(
    { label: 'int', written: 'a whole number', syntax: '`16`', read: readInt, print: String },
    range,
  );
}

export function float(range: Range = {}): ValueType<number> {
  return numberType(
    { label: 'float', written: 'a number', syntax: '`1.0`', read: readFloat, print: printFloat },
    range,
  );
}

export function percent(): ValueType<number> {
  return numberType(
    {
      label: 'percent',
      written: 'a percentage',
      syntax: '`98%` or `98`',
      read: (text) => readFloat(text.replace(/%$/, '')),
      print: (value) => `${value}%`,
    },
    { min: 0, max: 100 },
  );
}

/** A TCP port. Zero lets the system choose a free one. */
export function port(): ValueType<number> {
  return numberType(
    { label: 'port', written: 'a port number', syntax: '`9092`', read: readInt, print: String },
    { min: 0, max: 65_535 },
  );
}

export function hexByte(range: Range): ValueType<number> {
  return numberType(
    {
      label: 'hex byte',
      written: 'a byte in hex such as 0xE0',
      syntax: '`0xE0`',
      read: (text) => (/^0x[0-9a-f]{1,2}$/i.test(text) ? Number(text) : undefined),
      print: (value) => `0x${value.toString(16).toUpperCase().padStart(2, '0')}`,
    },
    range,
  );
}

/** A count, or `auto` to derive it from the machine. */
export function autoOrInt(range: Range): ValueType<number | 'auto'> {
  const number = int(range);
  const allowed = `auto, or ${number.allowed ?? 'any whole number'}`;
  return {
    label: 'auto or int',
    allowed,
    parse(text) {
      if (text.trim() === 'auto') return { value: 'auto' };
      const parsed = number.parse(text);
      return 'problem' in parsed ? { problem: `${allowed} is allowed` } : parsed;
    },
    print: String,
  };
}

function readBytes(text: string): number | undefined {
  const value = parseBytes(text);
  return value === 0 ? undefined : value;
}

function readInt(text: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const value = Number(text) + 0; // Adding zero turns `-0` into `0`.
  return Number.isSafeInteger(value) ? value : undefined;
}

function readFloat(text: string): number | undefined {
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text) + 0;
  return Number.isFinite(value) ? value : undefined;
}

/** `1.0` rather than `1`, to show that fractions are allowed. */
function printFloat(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
