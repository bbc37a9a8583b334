import type { ValueType } from './value-type.ts';

const versionMax = 2 ** 31 - 1;

/** A version of a subject, or the last one. */
export function schemaVersion(): ValueType<number | 'latest'> {
  const allowed = `latest, or 1 to ${versionMax}`;
  return {
    label: 'version',
    syntax: '`latest`, or a number from 1',
    allowed,
    parse(text) {
      const trimmed = text.trim();
      if (trimmed === 'latest') return { value: 'latest' };
      const version = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : 0;
      return version >= 1 && version <= versionMax
        ? { value: version }
        : { problem: `${allowed} is allowed` };
    },
    print: String,
  };
}
