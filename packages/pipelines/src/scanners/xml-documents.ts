import { XmlDocuments, xmlDecoder } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { bool, oneOf } from '../component/field-types.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

/** Bytes in which a declaration names the encoding. */
const headBytes = 1024;

/** The text of a source, whose beginning may name an encoding. */
async function* textOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: ReturnType<typeof xmlDecoder> | undefined;
  let head = Buffer.alloc(0);
  for await (const chunk of source) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < headBytes && !head.includes('>')) continue;
    decoder = xmlDecoder(head);
    yield decoder.decode(head, { stream: true });
  }
  yield decoder === undefined ? xmlDecoder(head).decode(head) : decoder.decode();
}

export const xmlDocuments = componentOf('scanner', {
  name: 'xml_documents',
  about: 'Makes a message of each XML document, as the processor `xml` does; they may follow each other.',
  fields: {
    operator: oneOf('What to convert to.', ['to_json']),
    cast: bool('Whether texts that are numbers or booleans become such.').or(false),
  },
  open: ({ cast: casts }) => ({
    async *scan(source) {
      const documents = new XmlDocuments({ casts });
      let charsOfDocument = 0;
      for await (const text of textOf(source)) {
        charsOfDocument += text.length;
        documents.add(text);
        for (let value = documents.next(); value !== undefined; value = documents.next()) {
          charsOfDocument = documents.waiting;
          yield [new Message({ value })];
        }
        if (charsOfDocument > pipelineLimits.scannedMessageBytesMax)
          throw new Error(`a document has more than ${pipelineLimits.scannedMessageBytesMax} characters`);
      }
      documents.end();
      for (let value = documents.next(); value !== undefined; value = documents.next())
        yield [new Message({ value })];
      if (documents.isWithin) throw new Error('unexpected end of XML');
    },
  }),
});
