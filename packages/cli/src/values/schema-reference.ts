import type { ValueType } from './value-type.ts';

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

const versionMax = 2 ** 31 - 1;

/** A schema that another refers to: `customer.avsc.Customer=customers-value:3`. Subjects may contain colons. */
export function schemaReference(): ValueType<Reference> {
  const allowed = 'name=subject:version';
  return {
    label: 'reference',
    syntax: '`name=subject:version`: what the schema calls it, and where it is',
    allowed,
    parse(text) {
      const match = /^([^\p{Cc}]+)=([^\p{Cc}=]+):([1-9]\d{0,9})$/u.exec(text);
      const version = Number(match?.[3]);
      return match !== null && version <= versionMax
        ? { value: { name: match[1]!, subject: match[2]!, version } }
        : { problem: `${allowed} is needed, such as Customer=customers-value:1` };
    },
    print: ({ name, subject, version }) => `${name}=${subject}:${version}`,
  };
}
