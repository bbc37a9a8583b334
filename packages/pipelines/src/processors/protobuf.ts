import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseDocument, type Value } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { any, bool, list, oneOf, string } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { withDocument } from './with-document.ts';

/** All `.proto` files below folders, by their path in the folder. A path may also be that of a file. */
async function filesOf(paths: readonly string[], filesMax: number): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const isFolder = (await lstat(path)).isDirectory();
    const found = isFolder ? await readdir(path, { recursive: true }) : [''];
    for (const name of found.toSorted()) {
      if (isFolder && !name.endsWith('.proto')) continue;
      if (files.size >= filesMax) throw new Error(`import_paths have more than ${filesMax} .proto files`);
      files.set(isFolder ? name : basename(path), await readFile(join(path, name), 'utf8'));
    }
  }
  return files;
}

export const protobuf = componentOf('processor', {
  name: 'protobuf',
  about: 'Converts messages between Protobuf and JSON.',
  fields: {
    operator: oneOf('What to convert to, or from.', ['to_json', 'from_json']),
    message: string('The full name of the message, such as `shop.Order`.').check((name) =>
      name === '' ? 'must not be empty' : undefined,
    ),
    discard_unknown: bool('Whether `from_json` leaves out fields that the message does not have.').or(false),
    use_proto_names: bool('Whether `to_json` names fields as the schema does, and not in camel case.').or(
      false,
    ),
    emit_unpopulated: bool('Whether `to_json` has fields that are not set, with their defaults.').or(false),
    import_paths: list(
      'Folders whose `.proto` files declare the message and what it uses, or such files.',
      string('A path.'),
    )
      .or([])
      .localOnly(),
    bsr: any('Modules of a Buf Schema Registry.')
      .optional()
      .check((value) =>
        value.kind === 'list' && value.items.length === 0
          ? undefined
          : 'is not available in this release; use import_paths, or schema_registry_decode',
      ),
  },
  check({ import_paths: paths, bsr }, reading, place) {
    if (paths !== undefined && paths.length === 0 && bsr === undefined)
      reading.problem(
        place,
        reading.isLocal
          ? 'import_paths is missing'
          : 'managed pipelines have no .proto files; use schema_registry_decode or schema_registry_encode',
      );
  },
  async open(fields, context) {
    const { loadMessageCodec, registryLimits } = await import('@weir/registry/decoding');
    const files = await filesOf(fields.import_paths, registryLimits.protobufFilesMax);
    const codec = await loadMessageCodec(files, fields.message);
    const discardsUnknown = fields.discard_unknown;
    const printed = { usesProtoNames: fields.use_proto_names, emitsUnpopulated: fields.emit_unpopulated };
    const toJson = (message: Message) =>
      withDocument(message, codec.jsonOf(message.content, printed) as Value);
    const fromJson = (message: Message) => {
      const payload = codec.payloadOf(parseDocument(message.content), { discardsUnknown });
      return message.withContent(Buffer.from(payload));
    };
    const change = fields.operator === 'to_json' ? toJson : fromJson;
    return { process: (batch) => eachMessage(batch, context, 'protobuf', change) };
  },
});
