import { parseMsgpack, printMsgpack } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { oneOf } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { withDocument } from './with-document.ts';

export const msgpack = componentOf('processor', {
  name: 'msgpack',
  about: 'Converts messages between MessagePack and JSON.',
  fields: { operator: oneOf('What to convert to, or from.', ['to_json', 'from_json']) },
  open({ operator }, context) {
    const change = (message: Message) =>
      operator === 'to_json'
        ? withDocument(message, parseMsgpack(message.content))
        : message.withContent(printMsgpack(message.document()));
    return { process: (batch) => eachMessage(batch, context, 'msgpack', change) };
  },
});
