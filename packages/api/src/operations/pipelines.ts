import * as z from 'zod';
import {
  count,
  dictionary,
  document,
  emptyForNone,
  examples,
  flag,
  list,
  prose,
  text,
  time,
  word,
} from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { pipelineEngineNote, pipelineStates, pipelineTypeNames } from '../pipeline-types.ts';

const documentOutput = () => prose(apiLimits.pipelineConfigurationBytesMax);

const pipelineName = () =>
  word(
    /^[a-zA-Z0-9_.-](?:[a-zA-Z0-9 _.-]{0,126}[a-zA-Z0-9_.-])?$/,
    128,
    'is not 1 to 128 letters, digits, dots, underscores and hyphens, with spaces between them',
  );

const partName = () =>
  word(
    /^[a-zA-Z0-9_./-]{1,128}$/,
    128,
    'is not 1 to 128 letters, digits, dots, underscores, hyphens and slashes',
  );

const triedMetadata = () => dictionary(z.string().max(1000), prose(), apiLimits.triedMetadataMax);

const type = () => z.enum(pipelineTypeNames);
const state = () => z.enum(pipelineStates);
const deployedId = () => id('pipelineConfiguration').nullable();

const instance = z
  .object({
    instance: count().describe('The number of the instance, from 0.'),
    status: z
      .enum(['waiting', 'running', 'done', 'error'])
      .describe('Whether it waits for an agent, runs, has ended with its input, or fails.'),
    message: text(1000).describe('Why it failed, or what went wrong last, in one line.'),
    agent_id: text(128).optional().describe('The agent that runs it or ran it last.'),
    started_at: time().optional().describe('When it was started.'),
    next_at: time().optional().describe('When it starts again, if it failed.'),
    restart_count: count().describe('Failures in a row.'),
    message_count: count().describe('Messages written since it was started.'),
    messages_per_second: z.number().describe('Messages written per second, over the last seconds.'),
    bytes_per_second: z.number().describe('Bytes written per second, over the last seconds.'),
    received_messages_per_second: z.number().describe('Messages read per second, over the last seconds.'),
    received_bytes_per_second: z.number().describe('Bytes read per second, over the last seconds.'),
    failed_count: count().describe('Messages on which a component failed, since it was started.'),
    error_count: count().describe('How often something failed while it went on, since it was started.'),
    error_stage: text(200).optional().describe('The component that failed last, as a path.'),
    error_line: z
      .int()
      .min(1)
      .optional()
      .describe('The line of this component in the deployed configuration, in `describe_pipeline`.'),
    error_column: z.int().min(1).optional().describe('Its column.'),
    error_at: time().optional().describe('When it failed last, by the clock of the agent.'),
  })
  .meta({ id: 'PipelineInstance', description: 'An instance of a pipeline.' });

const run = z
  .object({
    status: z
      .enum(['waiting', 'running', 'synced', 'error'])
      .describe(
        'Whether it waits for an agent, runs, succeeded last, or fails. A `bento` pipeline fails if one of its instances does.',
      ),
    message: text(1000).describe(
      'What was done or what is wrong, in one line, or why an agent refuses the configuration.',
    ),
    agent_id: text(128).optional().describe('The agent that runs it or ran it last.'),
    last_ended_at: time().optional().describe('When it last succeeded or failed.'),
    next_at: time().optional().describe('The next retry, if it fails.'),
    done_count: count().describe('Progress: for schema linking, versions of subjects; otherwise messages.'),
    total_count: count().optional().describe('The total, if known.'),
    instances: list(instance, apiLimits.pipelineInstancesMax)
      .optional()
      .describe('The instances of a `bento` pipeline.'),
  })
  .meta({ id: 'PipelineRun', description: 'How a pipeline runs.' });

const overviewFields = {
  id: id('pipeline').describe('The pipeline.'),
  name: text(128).describe('Its name.'),
  state: state().describe('Whether it runs.'),
  type: type().describe('The type of pipeline.'),
  deployed_configuration_id: deployedId().describe('The deployed configuration, or `null`.'),
  deployed_configuration_version: z.int().nullable().describe('Its version, or `null`.'),
  run: run
    .optional()
    .describe('How it runs, if it should run and an agent has had it since the last change of leader.'),
};

const overview = z.object(overviewFields).meta({ id: 'Pipeline', description: 'A pipeline.' });

const problem = z.object({
  part: text(128)
    .optional()
    .describe(
      'The part of the configuration; absent if it has none, or if all parts together have the problem.',
    ),
  line: z.int().min(1).describe('The line, from 1.'),
  column: z.int().min(1).describe('The column, from 1.'),
  message: prose(apiLimits.pipelineProblemCharsMax).describe('What is wrong there.'),
});

const part = { name: partName().describe('The name of the part.'), yaml: document().describe('Its YAML.') };

const givenConfiguration = {
  configuration_yaml: document().optional().describe('The configuration.'),
  configuration_inputs: list(z.strictObject(part), apiLimits.pipelinePartsMax, 1)
    .optional()
    .describe(
      'The configuration in parts, only for `data_lake` pipelines: lists are concatenated in the order of the parts; everything else may occur in one part only.',
    ),
};

const isGivenOnce = (given: {
  readonly configuration_yaml?: unknown;
  readonly configuration_inputs?: unknown;
}) => (given.configuration_yaml === undefined) !== (given.configuration_inputs === undefined);
const givenOnceRule = { error: 'one of configuration_yaml and configuration_inputs is required' };

const configuration = z
  .object({
    id: id('pipelineConfiguration').describe('The id of the configuration.'),
    version: z.int().describe('The version, starting at 1.'),
    configuration_yaml: documentOutput().describe('The YAML, with secrets as `***`; all parts combined.'),
    configuration_inputs: list(
      z.object({
        name: text(128).describe('The name of the part.'),
        yaml: documentOutput().describe('Its YAML.'),
      }),
      apiLimits.pipelinePartsMax,
    )
      .optional()
      .describe('The parts, if it was created from parts.'),
    created_at: time().describe('When it was created.'),
  })
  .meta({ id: 'PipelineConfiguration', description: 'A configuration. It is immutable.' });

const summary = z
  .object({
    configuration_id: id('pipelineConfiguration').describe('The configuration.'),
    version: z.int().describe('Its version.'),
    settings: list(
      z.object({
        path: text(apiLimits.pipelineSummaryCharsMax).describe(
          'The path, such as `output.kafka_franz.topic`.',
        ),
        value: text(apiLimits.pipelineSummaryCharsMax).describe(
          'The value, in one line; `***` for a secret.',
        ),
      }),
      apiLimits.pipelineSummaryRowsMax,
    ).describe('The settings, in their order in the configuration.'),
    settings_left_out: count().describe('The number of settings not listed.'),
  })
  .meta({ id: 'PipelineSummary', description: 'A summary of a configuration, without secrets.' });

const target = { pipeline_id: id('pipeline').describe('The pipeline.') };
const exampleTarget = { pipeline_id: examples.pipeline };

const exampleYaml = [
  'input:',
  '  kafka_franz_service: { topics: [orders], consumer_group: cleaner }',
  'pipeline:',
  '  processors:',
  '    - mapping: \'root = this.without("card_number")\'',
  'output:',
  '  kafka_franz_service: { topic: clean-orders }',
  '',
].join('\n');

const exampleOverview = {
  id: examples.pipeline,
  name: 'clean-orders',
  state: 'paused',
  type: 'bento',
  deployed_configuration_id: examples.pipelineConfiguration,
  deployed_configuration_version: 1,
} as const;

/** Joins sentences and skips empty ones. */
const sentences = (...some: readonly string[]) => some.filter((one) => one !== '').join(' ');

export const pipelineOperations = [
  defineClusterOperation({
    name: 'list_pipelines',
    title: 'List pipelines',
    summary: 'List the pipelines of a virtual cluster.',
    output: z.object({
      pipelines: list(overview, apiLimits.pipelinesPerClusterMax).describe('The pipelines by name.'),
    }),
    example: {
      output: { pipelines: [exampleOverview] },
    },
  }),
  defineClusterOperation({
    name: 'create_pipeline',
    title: 'Create a pipeline',
    summary: 'Create a pipeline. It is paused and has no configuration yet.',
    description: sentences(
      'Kafka clusters have pipelines of the types `bento` and `orbit`, at most one `orbit` pipeline each. Schema registry clusters have at most one `schema_linking` pipeline. Data lake clusters have `data_lake` pipelines.',
      pipelineEngineNote,
    ),
    input: clusterInput({
      pipeline_name: pipelineName().describe('The name, unique in the cluster.'),
      pipeline_type: emptyForNone(type()).describe('The type of pipeline; `bento` by default.'),
    }),
    output: z.object({
      pipeline_id: id('pipeline').describe('The pipeline.'),
      pipeline_name: text(128).describe('Its name.'),
      pipeline_state: state().describe('Whether it runs.'),
      pipeline_type: type().describe('The type of pipeline.'),
      pipeline_deployed_configuration_id: deployedId().describe('The deployed configuration, or `null`.'),
    }),
    errors: ['duplicate_name', 'limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { pipeline_name: 'clean-orders' },
      output: {
        pipeline_id: examples.pipeline,
        pipeline_name: 'clean-orders',
        pipeline_state: 'paused',
        pipeline_type: 'bento',
        pipeline_deployed_configuration_id: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'check_pipeline_configuration',
    title: 'Check a configuration',
    summary: 'Validate a configuration without storing it, and list its problems.',
    input: clusterInput({
      pipeline_type: type().describe('The type of pipeline.'),
      ...givenConfiguration,
    }).refine(isGivenOnce, givenOnceRule),
    output: z.object({
      problems: list(problem, apiLimits.pipelineProblemsMax).describe(
        'The first problems, in the order of the text.',
      ),
      problem_count: count().describe('The total number.'),
      warnings: list(problem, apiLimits.pipelineProblemsMax).describe(
        'What works and is not advisable, in the order of the text.',
      ),
    }),
    example: {
      input: {
        pipeline_type: 'bento',
        configuration_yaml: 'input: { generate: { mapping: root = 1 } }\n',
      },
      output: {
        problems: [{ line: 1, column: 1, message: 'output is missing' }],
        problem_count: 1,
        warnings: [],
      },
    },
  }),
  defineClusterOperation({
    name: 'preview_pipeline_configuration',
    title: 'Preview a configuration',
    summary:
      'Send sample messages through the processors of a configuration, and return the result of each step.',
    description:
      'Nothing is stored, and nothing outside is reached: inputs and outputs are not opened, and a processor that would connect somewhere fails. Variables and secrets stand for their names.',
    input: clusterInput({
      configuration_yaml: document().describe('The configuration of a `bento` pipeline.'),
      messages: list(
        z.strictObject({
          content: z.string().max(apiLimits.triedMessageCharsMax).describe('The message.'),
          metadata: triedMetadata().optional().describe('Its metadata.'),
        }),
        apiLimits.triedMessagesMax,
        1,
      ).describe('The messages, which go through the processors as one batch.'),
    }),
    output: z.object({
      problem: prose(apiLimits.pipelineProblemCharsMax)
        .optional()
        .describe('Why nothing was tried; then there are no steps.'),
      steps: list(
        z.object({
          path: prose(1000).describe('Where the processor is in the configuration.'),
          name: text(100).describe('Its type.'),
          label: text(200).describe('Its label, or empty.'),
          batches: list(
            list(
              z.object({
                content: prose().describe('The message; a long one is cut.'),
                metadata: triedMetadata().describe('Its metadata.'),
                error: prose().optional().describe('Why a processor failed on it.'),
              }),
              apiLimits.triedBatchesMax,
            ),
            apiLimits.triedBatchesMax,
          ).describe('What it made of the messages; none if it dropped them.'),
        }),
        apiLimits.triedStepsMax,
      ).describe('The processors, in the order in which they ran.'),
    }),
    example: {
      input: {
        configuration_yaml:
          'input: { generate: { mapping: root = 1 } }\npipeline: { processors: [{ mapping: root.id = this.id }] }\noutput: { drop: {} }\n',
        messages: [{ content: '{"id":7,"name":"x"}' }],
      },
      output: {
        steps: [
          {
            path: 'pipeline.processors.0',
            name: 'mapping',
            label: '',
            batches: [[{ content: '{"id":7}', metadata: {} }]],
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'create_pipeline_configuration',
    title: 'Create a configuration',
    summary: 'Validate and store a configuration of a pipeline. It takes effect when it is deployed.',
    description: `A configuration that is refused changes nothing. Those that are kept never change. A pipeline keeps its last ${apiLimits.pipelineConfigurationsMax}, and the one that is deployed. Configurations are sealed in the database, and read back with secrets as \`***\`. A secret that is sent as it was read stays what it is in the newest configuration, unless an address changes.`,
    input: clusterInput({
      ...target,
      ...givenConfiguration,
    }).refine(isGivenOnce, givenOnceRule),
    output: z.object({ configuration_id: id('pipelineConfiguration').describe('The configuration.') }),
    errors: ['invalid_pipeline_configuration', 'no_sealing_keys'],
    example: {
      input: { ...exampleTarget, configuration_yaml: exampleYaml },
      output: { configuration_id: examples.pipelineConfiguration },
    },
  }),
  defineClusterOperation({
    name: 'change_pipeline_state',
    title: 'Start, pause or deploy',
    summary: 'Start or pause a pipeline, deploy one of its configurations, or both.',
    description: sentences(
      'To roll back, deploy an older configuration again. If any part is refused, nothing changes.',
      pipelineEngineNote,
    ),
    input: clusterInput({
      ...target,
      desired_state: emptyForNone(state()).describe('Whether it should run.'),
      deployed_configuration_id: emptyForNone(id('pipelineConfiguration')).describe(
        'The configuration to deploy.',
      ),
    }).refine((given) => given.desired_state !== undefined || given.deployed_configuration_id !== undefined, {
      error: 'desired_state or deployed_configuration_id is required',
    }),
    errors: ['conflict', 'limit_exceeded', 'no_pipeline_engine', 'invalid_pipeline_configuration'],
    example: {
      input: { ...exampleTarget, deployed_configuration_id: examples.pipelineConfiguration },
    },
  }),
  defineClusterOperation({
    name: 'describe_pipeline',
    title: 'Describe a pipeline',
    summary: 'Describe the state of a pipeline and its configurations.',
    input: clusterInput({
      ...target,
      include_summary: flag(
        'Whether to summarize the deployed configuration, or else the last, without secrets.',
      ),
    }),
    output: z.object({
      pipeline_overview: overview.describe('The pipeline.'),
      pipeline_configurations: list(configuration, apiLimits.pipelineConfigurationsMax + 1).describe(
        'Its configurations, oldest first.',
      ),
      pipeline_summary: summary
        .nullable()
        .optional()
        .describe('A summary of its configuration, if requested; `null` without a configuration.'),
    }),
    example: {
      input: exampleTarget,
      output: {
        pipeline_overview: exampleOverview,
        pipeline_configurations: [
          {
            id: examples.pipelineConfiguration,
            version: 1,
            configuration_yaml: exampleYaml,
            created_at: examples.time,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'delete_pipeline',
    title: 'Delete a pipeline',
    summary: 'Delete a pipeline with its configurations. It cannot be restored.',
    description:
      'A migration is deleted only when it manages no topic any more: clients could never write to what it leaves behind. Hand its topics over, or delete their copies, before.',
    input: clusterInput(target),
    errors: ['conflict'],
    example: { input: exampleTarget },
  }),
] as const;
