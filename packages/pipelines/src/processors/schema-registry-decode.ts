import type { Value } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { eachMessageLater } from '../component/failures.ts';
import { bool } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { registryFields } from './registry-fields.ts';
import { withDocument } from './with-document.ts';

const magicByte = 0;
const prefixBytes = 5;

export const schemaRegistryDecode = componentOf('processor', {
  name: 'schema_registry_decode',
  about: 'Decodes messages that begin with the id of their schema in a registry: Avro, Protobuf or JSON.',
  fields: {
    ...registryFields,
    sanitize_namespace_names: bool('Whether letters are replaced that names of Avro must not have.')
      .or(false)
      .advanced()
      .withoutEffect('names may have any letters'),
  },
  async open(fields, context) {
    const { RegistryCodecs } = await import('./registry-codecs.ts');
    const codecs = await RegistryCodecs.open(fields, context);
    const decoded = async (message: Message) => {
      const { content } = message;
      if (content.length < prefixBytes || content[0] !== magicByte)
        throw new Error('the message does not begin with the id of a schema');
      const codec = await codecs.byId(content.readUInt32BE(1));
      const found = codec.decode(content.subarray(prefixBytes));
      return 'content' in found
        ? message.withContent(found.content)
        : withDocument(message, found.value as Value);
    };
    return {
      process: (batch) => eachMessageLater(batch, context, 'schema_registry_decode', decoded),
      close: async () => codecs.close(),
    };
  },
});
