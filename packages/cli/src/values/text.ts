/** The value types that are stored as text: names, paths, ids, and enumerations. */

import type { ValueType } from './value-type.ts';

interface TextKind {
  readonly label: string;
  readonly pattern: RegExp;
  /** What the pattern admits, in words. */
  readonly allowed?: string;
  readonly empty?: string;
}

function textType({ label, pattern, allowed, empty }: TextKind): ValueType<string> {
  return {
    label,
    allowed,
    ...(empty === undefined ? {} : { empty }),
    parse: (text) =>
      pattern.test(text) ? { value: text } : { problem: `${allowed ?? `a ${label} on one line`} is allowed` },
    print: (value) => value,
  };
}

/** Any text of one line. */
export function text(label = 'text'): ValueType<string> {
  return textType({ label, pattern: /^[^\p{Cc}]+$/u });
}

export function path(): ValueType<string> {
  return text('path');
}

export function hostname(): ValueType<string> {
  return textType({
    label: 'host',
    pattern: /^[A-Za-z0-9._:-]{1,253}$/,
    allowed: 'a host name or an IP address',
  });
}

/** An availability zone or a region. */
export function zoneName(label = 'zone'): ValueType<string> {
  return textType({
    label,
    pattern: /^[a-z0-9-]{1,128}$/,
    allowed: 'up to 128 lowercase letters, digits and dashes',
  });
}

/** An agent group. The empty name is the default group. */
export function agentGroup(): ValueType<string> {
  return textType({
    label: 'group',
    pattern: /^[a-z0-9-]*$/,
    allowed: 'lowercase letters, digits and dashes; empty for the default group',
    empty: '',
  });
}

export function virtualClusterId(): ValueType<string> {
  return textType({
    label: 'cluster id',
    pattern: /^vci_[a-z0-9_]+$/i,
    allowed: 'a virtual cluster id that starts with vci_',
  });
}

/** The role of a cloud, with six parts between colons. */
export function roleArn(): ValueType<string> {
  return textType({
    label: 'ARN',
    pattern: /^arn:(?:[\w+=,.@-]*:){4}[\w+=,.@/:-]{1,1024}$/,
    allowed: 'an ARN like arn:aws:iam::123456789012:role/name',
  });
}

/** The key of a record header. Keys that start with `_ws` are reserved for the service. */
export function headerKey(): ValueType<string> {
  return textType({
    label: 'header key',
    pattern: /^(?!_ws)[^\p{Cc}]+$/u,
    allowed: 'any header key that does not start with _ws',
  });
}

export function principal(): ValueType<string> {
  return textType({ label: 'principal', pattern: /^User:[^\p{Cc}]+$/u, allowed: 'User: and a name' });
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ValueType<Word> {
  const allowed = words.join(', ');
  return {
    label: 'enum',
    syntax: 'one of the words that the row allows',
    words,
    allowed,
    parse(text) {
      const value = words.find((word) => word === text.trim());
      return value === undefined ? { problem: `one of ${allowed} is allowed` } : { value };
    },
    print: (value) => value,
  };
}
