import type { ComponentSpec } from '../component/component-spec.ts';
import { archive } from './archive.ts';
import { avro } from './avro.ts';
import { compress, decompress } from './compress.ts';
import { http } from './http.ts';
import { javascript } from './javascript.ts';
import { jmespath } from './jmespath.ts';
import { jq } from './jq.ts';
import { jsonSchema } from './json-schema.ts';
import { msgpack } from './msgpack.ts';
import { parquetProcessors } from './parquet.ts';
import { protobuf } from './protobuf.ts';
import { schemaRegistryDecode } from './schema-registry-decode.ts';
import { schemaRegistryEncode } from './schema-registry-encode.ts';
import { unarchive } from './unarchive.ts';
import { xml } from './xml.ts';

/** Processors that change the encoding of messages, or ask others to change them. */
export const codecProcessors: readonly ComponentSpec[] = [
  archive,
  avro,
  compress,
  decompress,
  http,
  javascript,
  jmespath,
  jq,
  jsonSchema,
  msgpack,
  ...parquetProcessors,
  protobuf,
  schemaRegistryDecode,
  schemaRegistryEncode,
  unarchive,
  xml,
];
