export type { Environment } from './compile/environment.ts';
export type { Importer } from './compile/maps.ts';
export { pipelineEnvironment, pureEnvironment } from './environments.ts';
export {
  type ApplyOptions,
  Mapping,
  MappingFailure,
  type MappingOptions,
  type MappingResult,
  parseMapping,
} from './mapping.ts';
export type { RunLimits } from './runtime/budget.ts';
export type { MappingMessage, MessageError } from './runtime/message.ts';
export type { MappingCache, Ports } from './runtime/ports.ts';
export { contentOf } from './runtime/run.ts';
export { BloblangError } from './syntax/syntax-error.ts';
export { unavailableFunctions, unavailableMethods } from './unavailable.ts';
export type { Value } from './values/value.ts';
