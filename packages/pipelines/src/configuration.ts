export { catalogue } from './catalogue.ts';
export { type ConfigurationReading, readConfiguration, readStream } from './config/read-configuration.ts';
export type { References } from './config/substitution.ts';
