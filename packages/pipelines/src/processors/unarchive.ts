import { isObject, parseCsv, parseDocument, type Value, XmlDocuments, xmlDecoder } from '@weir/bloblang';
import {
  type ArchiveEntry,
  Expansion,
  jsonDocuments,
  readBinary,
  readTar,
  readZip,
} from '../archives/index.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy } from '../component/failures.ts';
import { string } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { withDocument } from './with-document.ts';

type Unarchiver = (message: Message, expansion: Expansion) => Message[];

const formats: Readonly<Record<string, Unarchiver>> = {
  binary: (message, expansion) =>
    readBinary(message.content, expansion).map((part) => message.withContent(part)),
  lines,
  json_array: (message, expansion) => {
    const document = message.document();
    if (!Array.isArray(document)) throw new Error('the message is no JSON array');
    return document.map((value) => element(message, value, expansion));
  },
  json_documents: (message, expansion) => {
    const made: Message[] = [];
    for (const document of jsonDocuments(message.content)) {
      expansion.add(document.length);
      made.push(withDocument(message, parseDocument(document)));
    }
    return made;
  },
  json_map: (message, expansion) => {
    const document = message.document();
    if (!isObject(document)) throw new Error('the message is no JSON object');
    return Object.entries(document).map(([key, value]) =>
      element(message, value, expansion).withEntry('archive_key', key),
    );
  },
  csv: csv(','),
  tar: files(readTar),
  zip: files(readZip),
  xml_documents_to_json: xmlDocuments(false),
  'xml_documents_to_json:cast': xmlDocuments(true),
};

const names = Object.keys(formats).toSorted();

function unarchiverOf(format: string): Unarchiver | undefined {
  if (Object.hasOwn(formats, format)) return formats[format];
  const [delimiter, ...more] = format.startsWith('csv:') ? [...format.slice('csv:'.length)] : [];
  return delimiter === undefined || more.length > 0 ? undefined : csv(delimiter);
}

function problemOf(format: string): string | undefined {
  if (unarchiverOf(format) !== undefined) return undefined;
  return `has to be one of ${names.join(', ')}, or csv: and a delimiter of one character`;
}

/** Its bytes are those of the array or object, which was limited when it arrived. */
function element(message: Message, value: Value, expansion: Expansion): Message {
  expansion.add(0);
  return withDocument(message, value);
}

function xmlDocuments(casts: boolean): Unarchiver {
  return (message, expansion) => {
    const documents = new XmlDocuments({ casts });
    documents.add(xmlDecoder(message.content).decode(message.content));
    documents.end();
    const made: Message[] = [];
    for (let value = documents.next(); value !== undefined; value = documents.next()) {
      expansion.add(0);
      made.push(message.withValue(value));
    }
    if (documents.isWithin) throw new Error('unexpected end of XML');
    return made;
  };
}

function lines(message: Message, expansion: Expansion): Message[] {
  const { content } = message;
  const made: Message[] = [];
  for (let at = 0; at <= content.length; ) {
    const end = content.indexOf(0x0a, at);
    const line = content.subarray(at, end < 0 ? content.length : end);
    expansion.add(line.length);
    made.push(message.withContent(line));
    at = end < 0 ? content.length + 1 : end + 1;
  }
  return made;
}

function csv(delimiter: string): Unarchiver {
  return (message, expansion) => {
    const [header, ...rows] = recordsOf(message.content.toString(), delimiter);
    return rows.map((row) => {
      // The names of the columns are in every message.
      expansion.add(row.reduce((bytes, field, index) => bytes + field.length + header![index]!.length, 0));
      return message.withValue(Object.fromEntries(row.map((field, index) => [header![index]!, field])));
    });
  };
}

function recordsOf(text: string, delimiter: string): string[][] {
  try {
    return parseCsv(text, delimiter, false);
  } catch (error) {
    // Mappings throw what is no error of the runtime.
    throw new Error(`the message is no CSV: ${(error as { readonly message: string }).message}`, {
      cause: error,
    });
  }
}

function files(read: (archive: Buffer, expansion: Expansion) => ArchiveEntry[]): Unarchiver {
  return (message, expansion) =>
    read(message.content, expansion).map(({ name, content }) =>
      message.withContent(content).withEntry('archive_filename', name),
    );
}

export const unarchive = componentOf('processor', {
  name: 'unarchive',
  about: 'Makes several messages of each message: the files, lines or documents that are in it.',
  fields: {
    format: string(`One of ${names.join(', ')}, or \`csv:\` and another delimiter than a comma.`).check(
      problemOf,
    ),
  },
  open: ({ format }, context) => {
    const unarchiver = unarchiverOf(format)!;
    return {
      process(batch) {
        const made: Message[] = [];
        for (const message of batch) {
          try {
            for (const part of unarchiver(message, new Expansion())) made.push(part);
          } catch (error) {
            made.push(failedBy(message, error, context, 'unarchive'));
          }
        }
        return made.length === 0 ? [] : [made];
      },
    };
  },
});
