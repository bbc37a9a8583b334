import type { ValueType } from './value-type.ts';

const texts: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
]);

/** A switch. `-flag` alone turns it on; a value needs the equals sign, so that `-flag false` cannot be misread. */
export function bool(): ValueType<boolean> {
  return {
    label: 'bool',
    syntax: '`true`, `false`, `t`, `f`, `1`, `0`',
    impliedText: 'true',
    parse(text) {
      const value = texts.get(text.trim().toLowerCase());
      return value === undefined ? { problem: 'true or false is allowed' } : { value };
    },
    print: String,
  };
}
