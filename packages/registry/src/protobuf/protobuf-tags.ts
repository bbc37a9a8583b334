import type { TagPlace } from '../schema-format.ts';
import type { FileNode, MessageNode, OptionNode, OptionValue } from './syntax-tree.ts';

const nowhere = -1;

/** The messages and fields of a file. Paths begin with the outermost message, without the package. */
export const protobufTagPlaces = (file: FileNode): TagPlace[] => {
  const places: TagPlace[] = [];
  const visit = (message: MessageNode, scope: string): void => {
    const path = `${scope}${message.name}`;
    places.push(placeOf('sr_record', path, 'message_meta', message.options));
    for (const field of message.fields)
      places.push(placeOf('sr_field', `${path}.${field.name}`, 'field_meta', field.options));
    for (const nested of message.messages) visit(nested, `${path}.`);
  };
  for (const message of file.messages) visit(message, '');
  return places;
};

/** Tags are those of `(confluent.field_meta)` or `(confluent.message_meta)`: a message in braces, or one by one. */
const placeOf = (type: TagPlace['type'], path: string, meta: string, options: OptionNode[]): TagPlace => {
  const isMeta = ({ name: [first] }: OptionNode) =>
    first!.extension && (first!.name === `confluent.${meta}` || first!.name === `.confluent.${meta}`);
  return {
    type,
    paths: [path],
    isListed: true,
    tags: () => [...new Set(options.filter(isMeta).flatMap(tagsOf))],
    setTags(tags) {
      const kept = options.flatMap((option) => (isMeta(option) ? withoutTags(option) : [option]));
      const value: OptionValue = {
        kind: 'list',
        values: tags.map((tag) => ({ kind: 'string', bytes: Buffer.from(tag), at: nowhere })),
        at: nowhere,
      };
      const whole = kept.find((option) => isMeta(option) && option.name.length === 1);
      options.splice(0, Infinity, ...kept.filter((option) => option !== whole));
      const entries = whole?.value.kind === 'aggregate' ? whole.value.entries : [];
      const tagged = tags.length === 0 ? entries : [...entries, { key: 'tags', value, at: nowhere }];
      if (tagged.length === 0) return;
      options.push({
        name: [{ name: `confluent.${meta}`, extension: true }],
        value: { kind: 'aggregate', entries: tagged, at: nowhere },
        at: nowhere,
      });
    },
  };
};

const tagsOf = ({ name, value }: OptionNode): string[] => {
  if (name.length === 2 && name[1]!.name === 'tags') return textsIn(value);
  if (name.length > 1 || value.kind !== 'aggregate') return [];
  return value.entries.filter(({ key }) => key === 'tags').flatMap((entry) => textsIn(entry.value));
};

const textsIn = (value: OptionValue): string[] => {
  if (value.kind === 'list') return value.values.flatMap(textsIn);
  return value.kind === 'string' ? [Buffer.from(value.bytes).toString()] : [];
};

const withoutTags = (option: OptionNode): OptionNode[] => {
  const { name, value } = option;
  if (name.length === 2 && name[1]!.name === 'tags') return [];
  if (name.length > 1 || value.kind !== 'aggregate') return [option];
  const entries = value.entries.filter(({ key }) => key !== 'tags');
  return [{ ...option, value: { ...value, entries } }];
};
