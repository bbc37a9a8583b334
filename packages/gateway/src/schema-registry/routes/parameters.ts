import type { QueryParameter } from '../request/query.ts';

/** Query parameters and body fields that several routes have. */

const parameter = <Type extends QueryParameter['type']>(type: Type, help: string) =>
  ({ type, help }) as const;

export const format = parameter(
  'text',
  'Another form of the text: `resolved` (Avro), `serialized` or `ignore_extensions` (Protobuf).',
);
export const referenceFormat = parameter('text', 'The same for the schemas that are referred to.');
export const findTags = parameter('list', 'Tags to look for inside of the schema; `*` is every tag.');
export const deleted = parameter('flag', 'Includes what is only marked as deleted.');
export const deletedOnly = parameter('flag', 'Only what is marked as deleted.');
export const normalize = parameter('flag', 'Normalises the schema first.');
export const permanent = parameter('flag', 'Removes what is marked as deleted already.');
export const ofContext = parameter('text', 'Names the context by one of its subjects, or as `:.context:`.');
export const algorithm = parameter('text', 'The algorithm of the key. Default: AES256_GCM.');

export const paging = {
  offset: parameter('integer', 'How many to leave out. Default: 0.'),
  limit: parameter('integer', 'How many to return. Default: -1, all.'),
} as const;

export const schemaBody = {
  schema: 'The text of the schema.',
  schemaType: '`AVRO` (default), `PROTOBUF` or `JSON`.',
  references: 'Schemas that it refers to: a list of `{name, subject, version}`.',
  metadata: 'Tags, properties and sensitive properties.',
  ruleSet: 'Rules of the data contract. They are stored and returned, not executed.',
} as const;
