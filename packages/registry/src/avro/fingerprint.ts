import type { AvroType } from './avro-type.ts';

const empty = 0xc15d213aa4d7a795n;
const table = Array.from({ length: 256 }, (_none, index) => {
  let print = BigInt(index);
  for (let bit = 0; bit < 8; bit++) print = (print >> 1n) ^ ((print & 1n) === 0n ? 0n : empty);
  return print;
});

/** The 64-bit Rabin fingerprint of a schema, which messages in Avro's single-object encoding begin with. */
export function fingerprintOf(type: AvroType): Buffer {
  let print = empty;
  for (const byte of Buffer.from(parsingForm(type, new Set())))
    print = (print >> 8n) ^ table[Number((print ^ BigInt(byte)) & 0xffn)]!;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(print);
  return bytes;
}

/** The schema with nothing but what payloads depend on, in the one spelling that the specification has for it. */
function parsingForm(type: AvroType, defined: Set<string>): string {
  switch (type.kind) {
    case 'union':
      return `[${type.branches.map((branch) => parsingForm(branch, defined)).join(',')}]`;
    case 'array':
      return `{"type":"array","items":${parsingForm(type.items, defined)}}`;
    case 'map':
      return `{"type":"map","values":${parsingForm(type.values, defined)}}`;
    case 'record':
    case 'enum':
    case 'fixed': {
      const name = JSON.stringify(type.fullName);
      if (defined.has(type.fullName)) return name;
      defined.add(type.fullName);
      const head = `{"name":${name},"type":"${type.kind}"`;
      if (type.kind === 'fixed') return `${head},"size":${type.sizeBytes}}`;
      if (type.kind === 'enum') return `${head},"symbols":${JSON.stringify(type.symbols)}}`;
      const fields = type.fields.map(
        (field) => `{"name":${JSON.stringify(field.name)},"type":${parsingForm(field.type, defined)}}`,
      );
      return `${head},"fields":[${fields.join(',')}]}`;
    }
    default:
      return `"${type.kind}"`;
  }
}
