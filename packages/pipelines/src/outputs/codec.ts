import { Field } from '../component/field.ts';
import { string } from '../component/field-types.ts';

/** How messages are written one after the other. */
export interface WriterCodec {
  /** Follows each message that does not end with it already. */
  readonly suffix: Buffer;
  /** Whether messages are added to what is there; otherwise each takes the place of what is there. */
  readonly appends: boolean;
}

const about =
  'How messages are written: `lines` each in a line, `delim:x` each followed by x, `append` without anything between them, `all-bytes` each as a whole file.';

const names: Readonly<Record<string, WriterCodec>> = {
  'all-bytes': { suffix: Buffer.alloc(0), appends: false },
  append: { suffix: Buffer.alloc(0), appends: true },
  lines: { suffix: Buffer.from('\n'), appends: true },
};

const text = string(about);

export const codec: Field<WriterCodec> = new Field(
  { name: 'string', options: [...Object.keys(names), 'delim:x'] },
  about,
  (value, reading, path) => {
    const name = text.read(value, reading, path);
    if (name === undefined) return undefined;
    const delimiter = name.startsWith('delim:') ? name.slice('delim:'.length) : '';
    if (delimiter !== '') return { suffix: Buffer.from(delimiter), appends: true };
    if (Object.hasOwn(names, name)) return names[name];
    reading.problem(value.place, `codec has to be one of ${Object.keys(names).join(', ')}, or delim:x`);
    return undefined;
  },
);

export function encoded(content: Buffer, { suffix }: WriterCodec): Buffer {
  const hasSuffix = suffix.length === 0 || content.subarray(-suffix.length).equals(suffix);
  return hasSuffix ? content : Buffer.concat([content, suffix]);
}
