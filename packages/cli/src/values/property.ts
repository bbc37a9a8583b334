import type { ValueType } from './value-type.ts';

export interface Property {
  readonly name: string;
  readonly value: string;
}

/** Stands between properties: a character that no terminal sends, because separators are values of properties. */
export const propertySeparator = '\u001e';

/** A property of Kafka's console tools: `key.separator=:`. Blanks count, since a separator may be one. */
export function property(): ValueType<Property> {
  return {
    label: 'property',
    syntax: '`parse.key=true`; several are given by one flag each',
    parse(text) {
      const match = /^([A-Za-z0-9._-]+)=(.*)$/s.exec(text);
      return match === null
        ? { problem: 'name=value is needed' }
        : { value: { name: match[1]!, value: match[2]! } };
    },
    print: ({ name, value }) => `${name}=${value}`,
  };
}
