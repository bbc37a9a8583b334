export { catalogue } from './catalogue.ts';
export { type ConfigurationReading, readConfiguration, readStream } from './config/read-configuration.ts';
export { serviceSettingsOf } from './config/service-settings.ts';
export { type StreamConfig, streamFields } from './config/stream-fields.ts';
export type { References } from './config/substitution.ts';
