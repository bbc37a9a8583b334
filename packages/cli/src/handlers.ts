import type { AvailableCommandName } from './commands/catalogue.ts';
import type { Handler } from './handler.ts';

type HandlerLoaders = { readonly [Name in AvailableCommandName]: () => Promise<Handler<Name>> };

/**
 * The handlers of all available commands. A command that becomes available does not compile until it is here. Handlers
 * are imported on demand, so that `weir version` does not load everything.
 */
export const handlers = {
  help: async () => (await import('./tools/help.ts')).help,
  version: async () => (await import('./tools/version.ts')).version,
  completion: async () => (await import('./completion/completion.ts')).completion,
  'completion bash': async () => (await import('./completion/completion.ts')).bashCompletion,
  'completion zsh': async () => (await import('./completion/completion.ts')).zshCompletion,
  'completion fish': async () => (await import('./completion/completion.ts')).fishCompletion,
  local: async () => (await import('./servers/local.ts')).local,
  playground: async () => (await import('./servers/playground.ts')).playground,
  demo: async () => (await import('./servers/demo.ts')).demo,
  agent: async () => (await import('./servers/agent.ts')).agent,
  'control-plane': async () => (await import('./servers/control-plane.ts')).controlPlane,
  'control-plane restore': async () => (await import('./servers/restore.ts')).restore,
  metrics: async () => (await import('./servers/metrics.ts')).metrics,
  apply: async () => (await import('./apply/apply.ts')).apply,
  kcmd: async () => (await import('./tools/kcmd.ts')).kcmd,
  cli: async () => (await import('./tools/cli.ts')).cli,
  'cli-old': async () => (await import('./tools/cli.ts')).cliOld,
  'cli list-topics': async () => (await import('./tools/list-topics.ts')).listTopicsTool,
  'cli create-topic': async () => (await import('./tools/create-topic.ts')).createTopicTool,
  'cli describe-topic': async () => (await import('./tools/describe-topic.ts')).describeTopicTool,
  'cli delete-topic': async () => (await import('./tools/delete-topic.ts')).deleteTopicTool,
  'cli produce': async () => (await import('./tools/produce.ts')).produceTool,
  'cli fetch': async () => (await import('./tools/fetch.ts')).fetchTool,
  'cli create-acls': async () => (await import('./tools/create-acls.ts')).createAclsTool,
  'cli describe-acls': async () => (await import('./tools/describe-acls.ts')).describeAclsTool,
  'cli delete-acls': async () => (await import('./tools/delete-acls.ts')).deleteAclsTool,
  'cli who-may': async () => (await import('./tools/who-may.ts')).whoMayTool,
  'cli describe-broker-configs': async () =>
    (await import('./tools/describe-broker-configs.ts')).describeBrokerConfigsTool,
  'cli alter-broker-configs': async () => (await import('./tools/alter-configs.ts')).alterBrokerConfigsTool,
  'cli delete-broker-config': async () => (await import('./tools/alter-configs.ts')).deleteBrokerConfigTool,
  'cli describe-topic-configs': async () =>
    (await import('./tools/describe-topic-configs.ts')).describeTopicConfigsTool,
  'cli alter-topic-configs': async () => (await import('./tools/alter-configs.ts')).alterTopicConfigsTool,
  'cli delete-topic-config': async () => (await import('./tools/alter-configs.ts')).deleteTopicConfigTool,
  'cli describe-groups': async () => (await import('./tools/describe-groups.ts')).describeGroupsTool,
  'cli describe-log-dirs': async () => (await import('./tools/describe-log-dirs.ts')).describeLogDirsTool,
  'cli consumer-group-lag': async () => (await import('./tools/consumer-group-lag.ts')).consumerGroupLagTool,
  'cli console-producer': async () => (await import('./tools/console-producer.ts')).consoleProducerTool,
  'cli console-consumer': async () => (await import('./tools/console-consumer.ts')).consoleConsumerTool,
  'cli reset-offsets': async () => (await import('./tools/reset-offsets.ts')).resetOffsetsTool,
  'cli benchmark-producer': async () => (await import('./tools/benchmark-producer.ts')).benchmarkProducerTool,
  'cli benchmark-consumer': async () => (await import('./tools/benchmark-consumer.ts')).benchmarkConsumerTool,
  'cli diagnose-record': async () => (await import('./tools/diagnose-record.ts')).diagnoseRecordTool,
  'cli file-reader': async () => (await import('./tools/file-reader.ts')).fileReaderTool,
  'cli file-scrubber': async () => (await import('./tools/file-scrubber.ts')).fileScrubberTool,
  'cli validate-pipeline-config': async () =>
    (await import('./tools/validate-pipeline-config.ts')).validatePipelineConfigTool,
  'cli events': async () => (await import('./tools/cli-events.ts')).cliEvents,
  'cli events search': async () => (await import('./events/search.ts')).searchEvents,
  'cli events tail': async () => (await import('./events/tail.ts')).tailEvents,
  'cli events enable': async () => (await import('./events/switch.ts')).enableEvents,
  'cli events disable': async () => (await import('./events/switch.ts')).disableEvents,
  'cli events fields': async () => (await import('./events/fields.ts')).listEventFields,
  'cli clone-cluster': async () => (await import('./tools/clone-cluster.ts')).cloneClusterTool,
  'cli clone-topic': async () => (await import('./tools/clone-topic.ts')).cloneTopicTool,
  'cli storage-costs': async () => (await import('./tools/storage-costs.ts')).storageCostsTool,
  'cli list-subjects': async () => (await import('./tools/list-subjects.ts')).listSubjectsTool,
  'cli describe-schema': async () => (await import('./tools/describe-schema.ts')).describeSchemaTool,
  'cli register-schema': async () => (await import('./tools/register-schema.ts')).registerSchemaTool,
  'cli check-schema': async () => (await import('./tools/check-schema.ts')).checkSchemaTool,
  'cli delete-schema': async () => (await import('./tools/delete-schema.ts')).deleteSchemaTool,
  'cli schema-config': async () => (await import('./tools/schema-config.ts')).schemaConfigTool,
  'cli create-key': async () => (await import('./tools/create-key.ts')).createKeyTool,
  'cli mcp-config': async () => (await import('./tools/mcp-config.ts')).mcpConfigTool,
  'cli delete-all-topics-unsafe': async () =>
    (await import('./tools/delete-all-topics.ts')).deleteAllTopicsTool,
  'cli diagnose-connection': async () =>
    (await import('./tools/diagnose-connection.ts')).diagnoseConnectionTool,
} as const satisfies HandlerLoaders;
