export { catalogue } from './catalogue.ts';
export type { OwnCluster, PipelineServices } from './component/component-context.ts';
export { unlimitedAccess } from './component/outbound-access.ts';
export { noMetrics, type PipelineMetrics } from './component/pipeline-metrics.ts';
export { type ConfigurationReading, readConfiguration } from './config/read-configuration.ts';
export { Stream } from './engine/stream.ts';
export type { TrialStep } from './trial/trial-messages.ts';
export { Trials } from './trial/trials.ts';
