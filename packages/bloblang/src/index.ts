export type { Environment } from './compile/environment.ts';
export type { Importer } from './compile/maps.ts';
export type { Reference } from './compile/references.ts';
export { pipelineEnvironment, pureEnvironment } from './environments.ts';
export { toText as textOf } from './go/coerce.ts';
export { compressors, decompressors } from './go/compression.ts';
export { parseCsv } from './go/csv.ts';
export { parseMsgpack, printMsgpack } from './go/msgpack.ts';
export { parseXml, XmlDocuments, xmlDecoder } from './go/xml.ts';
export {
  Mapping,
  MappingFailure,
  type MappingResult,
  parseDocument,
  parseMapping,
} from './mapping.ts';
export type { MappingMessage } from './runtime/message.ts';
export type { MappingCache, Ports as MappingPorts } from './runtime/ports.ts';
export { contentOf } from './runtime/run.ts';
export { BloblangError } from './syntax/syntax-error.ts';
export type { ExtendedText } from './values/extended-text.ts';
export { printJson, printMessage } from './values/print-json.ts';
export { Bytes, Float, isObject, Timestamp, type Value, type ValueObject } from './values/value.ts';
