import type { Value } from '@weir/bloblang';
import type { Message } from '../component/message.ts';

/**
 * The message with a document as its content. A document that is a text stays one, in quotes; only mappings make the
 * text itself of it.
 */
export function withDocument(message: Message, document: Value): Message {
  return typeof document === 'string'
    ? message.withContent(Buffer.from(JSON.stringify(document)))
    : message.withValue(document);
}
