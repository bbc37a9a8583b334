import { parseDocument, type Value } from '@weir/bloblang';
import type { AvroSchema } from '@weir/registry/decoding';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { oneOf, string } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { checkSchema, schemaPath, schemaTextOf } from './schema-text.ts';
import { withDocument } from './with-document.ts';

/** How a message in the single-object encoding begins; the fingerprint of its schema follows. */
const singleMarker = Buffer.from([0xc3, 0x01]);

/** Values of unions have the names of their branches in JSON, as in Avro's own encoding. */
const named = { isPlain: false } as const;

export const avro = componentOf('processor', {
  name: 'avro',
  about: 'Converts messages between Avro and JSON.',
  fields: {
    operator: oneOf('What to convert to.', ['to_json', 'from_json']),
    encoding: oneOf(
      'How Avro is written: as JSON, in binary, or in binary after the fingerprint of the schema.',
      ['textual', 'binary', 'single'],
    ).or('textual'),
    schema: string('The schema.').or(''),
    schema_path: schemaPath('A file with the schema, as `file://` and its path.').or(''),
  },
  check: checkSchema,
  async open({ operator, encoding, ...fields }, context) {
    const { avroOfPlain, fingerprintOf, loadFormat, plainOfAvro } = await import('@weir/registry/decoding');
    const format = await loadFormat('AVRO');
    const schema = format.parse({ text: await schemaTextOf(fields), references: [] });
    const { root } = schema as AvroSchema;
    const codec = format.codec(schema);
    const head = encoding === 'single' ? Buffer.concat([singleMarker, fingerprintOf(root)]) : Buffer.alloc(0);

    const binaryOf = (message: Message) =>
      codec.encode(avroOfPlain(root, parseDocument(message.content), named));
    const payloadOf = ({ content }: Message) => {
      if (!content.subarray(0, head.length).equals(head))
        throw new Error('the message does not begin with the fingerprint of the schema');
      return content.subarray(head.length);
    };
    const documentOf = (payload: Uint8Array) => plainOfAvro(root, codec.decode(payload), named) as Value;
    const textual = (message: Message) => withDocument(message, documentOf(binaryOf(message)));

    const toJson = (message: Message) =>
      encoding === 'textual' ? textual(message) : withDocument(message, documentOf(payloadOf(message)));
    const fromJson = (message: Message) =>
      encoding === 'textual'
        ? textual(message)
        : message.withContent(Buffer.concat([head, binaryOf(message)]));
    const change = operator === 'to_json' ? toJson : fromJson;
    return { process: (batch) => eachMessage(batch, context, 'avro', change) };
  },
});
