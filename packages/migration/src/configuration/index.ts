/** Configurations of pipelines that copy another cluster: what they may say, and what they mean. */
export { migrationConfiguration } from './configuration-schema.ts';
export { type MappedTopic, mapTopics, type TopicMap } from './map-topics.ts';
export type { MigrationConfiguration, TopicMapping } from './migration-configuration.ts';
export { type ConfigurationReading, readConfiguration, usualTimeoutMs } from './read-configuration.ts';
