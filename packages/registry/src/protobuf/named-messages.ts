import { ProtobufWriter } from '@weir/core';
import { InvalidSchema, type ResolvedReference } from '../schema-format.ts';
import { decodeMessage } from './decode-message.ts';
import { type JsonContext, jsonOfMessage, type PrintOptions } from './json-of-message.ts';
import { loadSchema } from './load-files.ts';
import { messageOfJson, type ParseOptions } from './message-of-json.ts';
import { writeMessage } from './message-value.ts';
import { messagesByName } from './protobuf-codec.ts';

/** Converts messages of one type, without the prefix that says which one it is. Both throw `InvalidPayload`. */
export interface NamedMessageCodec {
  jsonOf(payload: Uint8Array, options?: PrintOptions): unknown;
  payloadOf(json: unknown, options?: ParseOptions): Uint8Array;
}

/**
 * The codec of a message that one of the files declares, by its full name. Files import each other by the paths that
 * they have here. Throws `InvalidSchema`.
 */
export const codecOfMessage = (files: ReadonlyMap<string, string>, fullName: string): NamedMessageCodec => {
  const references = [...files].map(
    ([name, text]): ResolvedReference => ({
      name,
      subject: name,
      version: 1,
      source: { text, references: [] },
    }),
  );
  const imports = [...files.keys()].map((path) => `import ${JSON.stringify(path)};`);
  const { file, extensions } = loadSchema({ text: `syntax = "proto3";\n${imports.join('\n')}`, references });
  const messages = messagesByName(file);
  const type = messages.get(fullName);
  if (type === undefined) throw new InvalidSchema(`no file declares a message ${fullName}`);
  const context: JsonContext = { extensions, messageNamed: (name) => messages.get(name) };
  return {
    jsonOf: (payload, options) => jsonOfMessage(decodeMessage(type, payload, extensions), context, options),
    payloadOf(json, options) {
      const writer = new ProtobufWriter();
      writeMessage(writer, messageOfJson(type, json, context, options));
      return writer.finish();
    },
  };
};
