/** An argument of a prompt, and what completes it. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly completedBy?: 'cluster' | 'topic' | 'group' | 'event_field';
}

/** A frequent question, worded to lead a model to the tools that answer it. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: readonly PromptArgument[];
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

const cluster: PromptArgument = {
  name: 'virtual_cluster_id',
  description: 'The virtual cluster: its id or its name.',
  isRequired: true,
  completedBy: 'cluster',
};

const relative: PromptArgument = {
  name: 'relative',
  description: 'The last part of time, such as 1h; at most 24h.',
  isRequired: false,
};

export const prompts: readonly Prompt[] = [
  {
    name: 'cluster_health',
    title: 'Is this cluster healthy?',
    description: 'Looks at diagnostics, agents and consumer groups of a virtual cluster.',
    args: [cluster],
    text: ({ virtual_cluster_id }) =>
      `Is the virtual cluster ${virtual_cluster_id} healthy? Call describe_virtual_cluster and list_diagnostics; for each diagnostic that fails call get_diagnostic. Then list_agents and list_consumer_groups. Say what is wrong, since when, and what to do first.`,
  },
  {
    name: 'acl_denials',
    title: 'Who was denied access?',
    description: 'Counts denials by principal, and explains the most frequent ones.',
    args: [cluster, relative],
    text: ({ virtual_cluster_id, relative: time = '1h' }) =>
      `Who was denied access in the virtual cluster ${virtual_cluster_id} in the last ${time}? Call aggregate_events with event_types ["acl_logs"], filter data.is_allowed in [false, null], time_range {"relative": "${time}"} and group_by "data.principal". For the most frequent ones find operation and resource with search_events, and call explain_access for each. Say which rule is missing or denies it.`,
  },
  {
    name: 'pipeline_errors',
    title: 'Which errors happened?',
    description: 'Counts errors of agents and pipelines, and shows examples.',
    args: [cluster, relative],
    text: ({ virtual_cluster_id, relative: time = '24h' }) =>
      `Which errors of agents and pipelines happened in the virtual cluster ${virtual_cluster_id} in the last ${time}? Call aggregate_events with event_types ["agent_logs", "pipeline_logs"], filter data.log_level == "error", time_range {"relative": "${time}"} and group_by "data.message". Show an example of each with search_events, and say when it began.`,
  },
  {
    name: 'consumer_lag',
    title: 'Which consumer group falls behind?',
    description: 'Finds groups with lag and the partitions and members that cause it.',
    args: [
      cluster,
      {
        name: 'group',
        description: 'Only this consumer group.',
        isRequired: false,
        completedBy: 'group',
      },
    ],
    text: ({ virtual_cluster_id, group }) =>
      group === undefined
        ? `Which consumer groups of the virtual cluster ${virtual_cluster_id} fall behind? Call list_consumer_groups, and describe_consumer_group for those with the most lag. Say which topics and partitions are behind, and whether members are missing.`
        : `Does the consumer group ${group} of the virtual cluster ${virtual_cluster_id} fall behind? Call describe_consumer_group twice with some time between, and say whether the lag grows, in which partitions, and who reads them.`,
  },
  {
    name: 'what_changed',
    title: 'What changed?',
    description: 'Compares the events of a time range with those before it.',
    args: [
      cluster,
      relative,
      {
        name: 'group_by',
        description: 'A field of events to look at closely.',
        isRequired: false,
        completedBy: 'event_field',
      },
    ],
    text: ({ virtual_cluster_id, relative: time = '1h', group_by }) =>
      `What changed in the virtual cluster ${virtual_cluster_id} in the last ${time}? Call compare_events with selection {"time_range": {"relative": "${time}"}}, list_diagnostics with state "all" for what failed or recovered, search_audit_log with relative "${time}" for what people changed, if the key may, and aggregate_events with over_time true${group_by === undefined ? '' : ` and group_by "${group_by}"`}. Name the differences, the largest first.`,
  },
];
