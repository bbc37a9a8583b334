export type { Environment } from './compile/environment.ts';
export type { Importer } from './compile/maps.ts';
export { pipelineEnvironment, pureEnvironment } from './environments.ts';
export {
  Mapping,
  MappingFailure,
  type MappingResult,
  parseMapping,
} from './mapping.ts';
export type { MappingMessage } from './runtime/message.ts';
export { contentOf } from './runtime/run.ts';
export { BloblangError } from './syntax/syntax-error.ts';
export type { Value } from './values/value.ts';
