/** A user's question, the calls that answer it, and patterns that the answers must match. */
export interface Question {
  readonly question: string;
  /** Whether to use an administrator key instead of a read-only one. */
  readonly isAdministrator?: true;
  readonly calls: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];
  readonly facts: readonly RegExp[];
}

const virtual_cluster_id = 'orders';
const on = (args: Readonly<Record<string, unknown>> = {}) => ({ virtual_cluster_id, ...args });
const onAgentErrors = (args: Readonly<Record<string, unknown>>) =>
  on({ event_types: ['agent_logs'], filter: 'data.log_level == "error"', ...args });
const acls = { event_types: ['acl_logs'] };

export const questions: readonly Question[] = [
  // Where am I?
  {
    question: 'Which clusters can I see?',
    calls: [['get_context', {}]],
    facts: [/vcn_orders/, /vcn_payments/],
  },
  { question: 'What may I do there?', calls: [['get_context', {}]], facts: [/read_only/] },
  {
    question: 'How are my clusters?',
    calls: [['list_virtual_clusters', {}]],
    facts: [/vcn_orders\tbyoc\tus-east-1\ttrue\t2\t1/, /vcn_payments\tbyoc\tus-east-1\ttrue\t2\t0/],
  },
  {
    question: 'Is there a cluster for payments?',
    calls: [['list_virtual_clusters', { query: 'pay' }]],
    facts: [/total: 1/, /vcn_payments/],
  },
  {
    question: 'Are there data lakes?',
    calls: [['list_virtual_clusters', { type: 'byoc_data_lake' }]],
    facts: [/total: 0/],
  },

  // Is it healthy?
  {
    question: 'Is anything wrong with my cluster?',
    calls: [['list_diagnostics', on()]],
    facts: [/no_jobs_agent\thigh\tfalse/, /None of 2 agents has the jobs role/],
  },
  {
    question: 'Is anything wrong anywhere?',
    calls: [['list_diagnostics', {}]],
    facts: [/clusters_looked_at: 2/, /vcn_orders\tno_jobs_agent/],
  },
  {
    question: 'Is the cluster for payments healthy?',
    calls: [['list_diagnostics', { virtual_cluster_id: 'payments' }]],
    facts: [/Nothing fails/],
  },
  {
    question: 'Why does it matter that no agent has the jobs role, and what do I do?',
    calls: [['get_diagnostic', on({ diagnostic_id: 'no_jobs_agent' })]],
    facts: [/explanation: .{20}/, /fix: .{10}/, /To fix it: /],
  },
  {
    question: 'Since when does that fail?',
    calls: [['get_diagnostic', on({ diagnostic_id: 'no_jobs_agent' })]],
    facts: [/first_failed_at: \d{4}-/, /\tfailed\t/],
  },
  {
    question: 'Is something muted?',
    calls: [['list_diagnostics', on({ state: 'muted' })]],
    facts: [/total: 0/, /none in this state/],
  },
  {
    question: 'Is there something critical?',
    calls: [['list_diagnostics', on({ severity: 'critical' })]],
    facts: [/total: 0/],
  },
  {
    question: 'How is the cluster configured?',
    calls: [['describe_virtual_cluster', on()]],
    facts: [/are_acls_enabled: true/, /events.enabled: true/, /quotas \(/],
  },
  {
    question: 'Will the control plane’s own events come?',
    calls: [['describe_virtual_cluster', on()]],
    facts: [/No agent has the jobs role, which control plane events require/],
  },

  // Agents
  {
    question: 'Which agents are there?',
    calls: [['list_agents', on()]],
    facts: [/agent-a\t/, /agent-b\t/, /total: 2/],
  },
  {
    question: 'Do all agents run the same release?',
    calls: [['list_agents', on()]],
    facts: [/Agents run 2 releases: v830, v829/],
  },
  {
    question: 'Which agent does jobs?',
    calls: [['list_agents', on({ role: 'jobs' })]],
    facts: [/total: 0/, /No agent matches; without group and role it lists all/],
  },
  { question: 'How busy are they?', calls: [['list_agents', on()]], facts: [/\t0\.3\t/] },

  // Clients
  {
    question: 'Which clients are connected, and in which versions?',
    calls: [['list_clients', on()]],
    facts: [
      /connections: 47/,
      /^apache-kafka-java\t4\.3\.0\t30\tUser:ccn_shop\tshop-producer\tagent-b \(20\),agent-a \(10\)$/m,
      /^librdkafka\t1\.9\.2\t12\tUser:ccn_reports,User:ANONYMOUS\treports\tagent-a \(12\)$/m,
      /^\t\t5\t/m,
      /total: 3/,
    ],
  },
  {
    question: 'Who still uses an old librdkafka?',
    calls: [['list_clients', on({ software_name: 'librdkafka', format: 'detailed' })]],
    facts: [/^librdkafka\t1\.9\.2\t12\tUser:ccn_reports,User:ANONYMOUS\t/m],
  },
  {
    question: 'Which clients are outdated?',
    calls: [['list_clients', on({ outdated: true })]],
    facts: [/total: 1/, /^\t\t5\t/m],
  },
  {
    question: 'Does anybody use sarama?',
    calls: [['list_clients', on({ software_name: 'sarama' })]],
    facts: [/total: 0/, /No client matches; without arguments it lists all/],
  },

  // Topics
  {
    question: 'Which topics exist here?',
    calls: [['list_topics', on()]],
    facts: [/total: 4/, /^orders\t6\t168h/m, /^clicks\t12\t24h/m, /^refunds\t3/m, /^customers\t1/m],
  },
  {
    question: 'Which topic has the most partitions?',
    calls: [['list_topics', on({ sort_by: 'partitions', limit: 1 })]],
    facts: [/^clicks\t12/m],
  },
  {
    question: 'How long are orders kept?',
    calls: [['describe_topic', on({ topic_name: 'orders' })]],
    facts: [/retention: 168h/, /retention\.ms: 604800000/],
  },
  {
    question: 'Is customers compacted?',
    calls: [['describe_topic', on({ topic_name: 'customers' })]],
    facts: [/cleanup\.policy: compact/],
  },
  {
    question: 'What of the topic oders?',
    calls: [
      ['describe_topic', on({ topic_name: 'oders' })],
      ['describe_topic', on({ topic_name: 'orders' })],
    ],
    facts: [/topic_not_found: .*orders/, /partitions: 6/],
  },
  {
    question: 'How many rules name orders?',
    calls: [['describe_topic', on({ topic_name: 'orders' })]],
    facts: [/acls_by_name: 2/],
  },

  {
    question: 'Which topics lack a schema?',
    calls: [['list_topics', on({ without_schema: true })]],
    facts: [/total: 4/, /^orders\t6/m, /4 of 4 topics have no schema under their name/],
  },

  // Costs, metrics, jobs
  {
    question: 'What does the cluster cost?',
    calls: [['describe_storage_costs', on()]],
    facts: [/^costs\.storage_month: \d/, /^costs\.month: \d/m, /^kafka\.month: \d/m, /^stored_bytes: [1-9]/m],
  },
  {
    question: 'How did the lag of analytics change in the last hour?',
    calls: [['query_metrics', on({ metrics: ['lag'], group: 'analytics' })]],
    facts: [/step_seconds: 120/],
  },
  {
    question: 'Do background jobs fail?',
    calls: [['list_jobs', on({ state: 'failing' })]],
    facts: [/total: 0/],
  },
  {
    question: 'Who can log in, and which credentials are unused?',
    calls: [['list_credentials', on()]],
    facts: [/^ccn_shop\tccun_shop\tfalse\t/m, /^ccn_admin\tccun_admin\ttrue\t/m, /3 of 3 were never used/],
  },

  // Consumer groups
  {
    question: 'Which consumer group falls behind the most?',
    calls: [['list_consumer_groups', on({ limit: 1 })]],
    facts: [/^analytics\tEmpty\t0\t5000\t5000/m],
  },
  {
    question: 'Which groups have any lag?',
    calls: [['list_consumer_groups', on({ lag_min: 1 })]],
    facts: [/^analytics\t/m, /^billing\tEmpty\t0\t400\t400/m],
  },
  {
    question: 'Is shipping up to date?',
    calls: [['describe_consumer_group', on({ group: 'shipping' })]],
    facts: [/total_lag: 0/, /not behind/],
  },
  {
    question: 'Where is billing behind?',
    calls: [['describe_consumer_group', on({ group: 'billing' })]],
    facts: [/^orders\t0\t400\t600\t1000/m],
  },
  {
    question: 'Why does the lag of analytics grow?',
    calls: [['describe_consumer_group', on({ group: 'analytics' })]],
    facts: [/has no members: nothing reads/, /last_commit_at: \d{4}-/, /diagnostics: /],
  },
  {
    question: 'What of the group biling?',
    calls: [['describe_consumer_group', on({ group: 'biling' })]],
    facts: [/group_not_found: .*billing/],
  },

  // Permissions
  { question: 'Which rules are there?', calls: [['list_acls', on()]], facts: [/mode: enforced/, /total: 4/] },
  {
    question: 'What may reports do?',
    calls: [['list_acls', on({ principal: 'User:ccn_reports' })]],
    facts: [/total: 2/, /DENY/],
  },
  {
    question: 'May shop write orders?',
    calls: [
      [
        'explain_access',
        on({ principal: 'shop', operation: 'WRITE', resource_type: 'TOPIC', resource_name: 'orders' }),
      ],
    ],
    facts: [/is_allowed: true/, /deciding_rule\.principal: User:ccn_shop/],
  },
  {
    question: 'Why can shop not write refunds?',
    calls: [
      [
        'explain_access',
        on({
          principal: 'User:ccn_shop',
          operation: 'WRITE',
          resource_type: 'TOPIC',
          resource_name: 'refunds',
        }),
      ],
    ],
    facts: [
      /is_allowed: false/,
      /No rule matches/,
      /A rule that allows it: ALLOW User:shop WRITE on TOPIC refunds/,
    ],
  },
  {
    question: 'Why can reports not read orders although it may read everything?',
    calls: [
      [
        'explain_access',
        on({
          principal: 'User:ccn_reports',
          operation: 'READ',
          resource_type: 'TOPIC',
          resource_name: 'orders',
        }),
      ],
    ],
    facts: [/is_allowed: false/, /deciding_rule\.permission_type: DENY/, /permission/],
  },
  {
    question: 'How often was reports kept from orders in the last hour?',
    calls: [
      [
        'explain_access',
        on({
          principal: 'reports',
          operation: 'READ',
          resource_type: 'TOPIC',
          resource_name: 'orders',
          time_range: { relative: '1h' },
        }),
      ],
    ],
    facts: [/recent_denials: 40/, /is_allowed: false/],
  },
  {
    question: 'May admin do everything?',
    calls: [
      [
        'explain_access',
        on({ principal: 'admin', operation: 'DELETE', resource_type: 'TOPIC', resource_name: 'orders' }),
      ],
    ],
    facts: [/is_allowed: true/, /is_superuser: true/],
  },

  {
    question: 'Who may write orders?',
    calls: [['explain_access', on({ operation: 'WRITE', resource_type: 'TOPIC', resource_name: 'orders' })]],
    facts: [
      /^who \(3\):/,
      /^User:\*\tfalse\tfalse\tfalse\t/m,
      /^User:admin\ttrue\tfalse\ttrue\t/m,
      /^User:shop\ttrue\ttrue\tfalse\t\tALLOW User:ccn_shop WRITE on TOPIC orders from \*$/m,
    ],
  },
  {
    question: 'Who is kept from reading orders by a rule?',
    calls: [['explain_access', on({ operation: 'READ', resource_type: 'TOPIC', resource_name: 'orders' })]],
    facts: [/^User:reports\tfalse\tfalse\tfalse\t\tDENY User:ccn_reports READ on TOPIC orders from \*$/m],
  },
  {
    question: 'How often was anybody kept from reading orders in the last hour?',
    calls: [
      [
        'explain_access',
        on({
          operation: 'READ',
          resource_type: 'TOPIC',
          resource_name: 'orders',
          time_range: { relative: '1h' },
        }),
      ],
    ],
    facts: [/recent_denials: 40/],
  },

  // What changed?
  {
    question: 'What changed in the last hour?',
    isAdministrator: true,
    calls: [['search_audit_log', { relative: '1h' }]],
    facts: [
      /entries \(3\)/,
      // Newest first.
      /\tada@example\.com\tdelete_topic\t.*\tdeletion_protected\n.*\tupdate_topic_configuration\t.*\tok\n.*\tcreate_topic\t/,
    ],
  },
  {
    question: 'Who touched the topic clicks?',
    isAdministrator: true,
    calls: [['search_audit_log', { target: 'clicks' }]],
    facts: [/entries \(1\)/, /\tgrace@example\.com\tupdate_topic_configuration\t[^\t]*clicks/],
  },
  {
    question: 'What did ada do, and what was refused?',
    isAdministrator: true,
    calls: [
      ['search_audit_log', { actor: 'ada@example.com', result: 'deletion_protected', format: 'detailed' }],
    ],
    facts: [/\tdelete_topic\t/, /orders has deletion protection/, /\t203\.0\.113\.7\t/],
  },
  {
    question: 'What changed, asked with a key that only reads?',
    calls: [['search_audit_log', { relative: '1h' }]],
    facts: [/forbidden: The audit log is for administrators/],
  },

  // Pipelines
  {
    question: 'Which pipelines are there, and do they work?',
    calls: [['list_pipelines', on()]],
    facts: [
      /total: 5/,
      /^orders_to_lake\tbento\tpaused\t\t2\t4\ta record could not be parsed$/m,
      /^from_old_kafka\torbit\tpaused\t\t\t0\t$/m,
      /^spare\tbento\tpaused\t\t\t0\t$/m,
      /^refunds_to_lake\tbento\trunning\terror\t1\t0\t$/m,
    ],
  },
  {
    question: 'Is there a pipeline to the lake?',
    calls: [['list_pipelines', on({ query: 'LAKE' })]],
    facts: [/total: 2/, /orders_to_lake/],
  },
  {
    question: 'What does orders_to_lake do, and with which revision?',
    calls: [['describe_pipeline', on({ pipeline_id: 'orders_to_lake' })]],
    facts: [
      /pipeline\.revision: 2/,
      /^input\.kafka_franz_service\.topics\torders, refunds$/m,
      /^pipeline\.processors\[0\]\.mapping\troot = this … \(2 lines\)$/m,
      /^output\.http_client\.url\thttps:\/\/\*\*\*@lake\.example\/ingest$/m,
      // The answer contains no secret.
      /^(?![\s\S]*hunter2)/,
    ],
  },
  {
    question: 'What goes wrong in orders_to_lake?',
    calls: [
      ['describe_pipeline', on({ pipeline_id: 'orders_to_lake' })],
      [
        'search_events',
        on({
          event_types: ['pipeline_logs'],
          filter: 'data.log_level == "error" and data.pipeline_name == "orders_to_lake"',
          time_range: { relative: '24h' },
          fields: ['data.stage'],
        }),
      ],
    ],
    facts: [
      /pipeline\.errors_24h: 4/,
      /pipeline\.last_error: a record could not be parsed/,
      /search_events with \{"event_types":\["pipeline_logs"\],"filter":".*data\.pipeline_name == /,
      /events \(4\)[\s\S]*\tmap/,
    ],
  },
  {
    question: 'Why is orders_to_lake paused?',
    calls: [['describe_pipeline', on({ pipeline_id: 'orders_to_lake' })]],
    facts: [/pipeline\.state: paused/, /pipeline\.last_error: a record could not be parsed/],
  },
  {
    question: 'Why does orders_to_search not deliver?',
    calls: [['describe_pipeline', on({ pipeline_id: 'orders_to_search' })]],
    facts: [
      /run\.status: running/,
      // Instance, status, agent, restarts, read, written, failed, error, stage, line, column.
      /^0\trunning\tagent-b\t0\t3\t0\t7\t.*ECONNREFUSED search\.example:443\toutput\t7\t1\t/m,
      /recent_problems \(2\)[\s\S]*\toutput\tfailed to write to the output: connect ECONNREFUSED/,
      /list_diagnostics says whether it still fails/,
    ],
  },
  {
    question: 'Why does refunds_to_lake not run, and where is the mistake?',
    calls: [['describe_pipeline', on({ pipeline_id: 'refunds_to_lake' })]],
    facts: [
      /run\.status: error/,
      /run\.message: line 7, column 28: the variable WEIR_PIPELINE_LAKE_KEY is not set/,
      /run\.next_at: 20/,
    ],
  },
  {
    question: 'Is this configuration right?',
    calls: [
      [
        'check_pipeline_configuration',
        on({ configuration_yaml: 'input: {generate: {mapping: root = }}\noutput: {dropp: {}}\n' }),
      ],
      [
        'check_pipeline_configuration',
        on({
          configuration_yaml:
            'input: {generate: {mapping: root = 1}}\npipeline: {processors: [{mapping: root.id = this.id * 2}]}\noutput: {drop: {}}\n',
          messages: ['{"id":21,"name":"x"}'],
        }),
      ],
    ],
    facts: [
      /It would be refused/,
      /^1\t\d+\t/m,
      /^2\t10\t.*dropp.*drop/m,
      /It is valid/,
      /^pipeline\.processors\.0\tmapping\t\{"id":42\}/m,
    ],
  },
  {
    question: 'Is the migration from the old cluster set up?',
    calls: [['describe_pipeline', on({ pipeline_id: 'from_old_kafka' })]],
    facts: [
      /last_revision: 1/,
      /^source_bootstrap_brokers\[0\]\.hostname\told-kafka$/m,
      /^source_cluster_credentials\.sasl_password_env\tWEIR_PIPELINE_OLD_PASSWORD$/m,
      /No configuration is deployed; what is shown is the newest one/,
    ],
  },
  {
    question: 'What is the spare pipeline for?',
    calls: [['describe_pipeline', on({ pipeline_id: 'spare' })]],
    facts: [/It has no configuration yet/],
  },
  {
    question: 'What of the pipeline order_to_lake?',
    calls: [['describe_pipeline', on({ pipeline_id: 'order_to_lake' })]],
    facts: [/pipeline_not_found: .*orders_to_lake/],
  },
  {
    question: 'Does the cluster for payments have pipelines?',
    calls: [['list_pipelines', { virtual_cluster_id: 'payments' }]],
    facts: [/total: 0/, /There are none/],
  },

  // Events
  {
    question: 'Which events are recorded, and how many?',
    calls: [['list_event_types', on()]],
    facts: [/^acl_logs\ttrue\t55/m, /^pipeline_logs\ttrue\t6/m],
  },
  {
    question: 'Which principals were denied in the last hour?',
    calls: [
      ['aggregate_events', on({ ...acls, time_range: { relative: '1h' }, group_by: 'data.principal' })],
    ],
    facts: [/^User:ccn_reports\t40/m, /^User:ccn_shop\t15/m],
  },
  {
    question: 'Which operations were denied?',
    calls: [['aggregate_events', on({ ...acls, group_by: 'data.operation' })]],
    facts: [/^READ\t40/m, /^WRITE\t15/m],
  },
  {
    question: 'Show me the last three denials of shop.',
    calls: [
      [
        'search_events',
        on({
          ...acls,
          filter: 'data.principal == "User:ccn_shop"',
          limit: 3,
          fields: ['data.kafka_api_key_name'],
        }),
      ],
    ],
    facts: [/events \(3\)/, /Produce/, /truncated: true/],
  },
  {
    question: 'Which agent errors happened since yesterday?',
    calls: [
      [
        'aggregate_events',
        onAgentErrors({
          time_range: { relative: '24h' },
          group_by: 'data.message',
        }),
      ],
    ],
    facts: [/^the bucket did not answer in time\t12/m],
  },
  {
    question: 'Which agent has these errors?',
    calls: [
      [
        'aggregate_events',
        on({ event_types: ['agent_logs'], filter: 'data.log_level == "error"', group_by: 'data.agent_id' }),
      ],
    ],
    facts: [/^agent-b\t12/m],
  },
  {
    question: 'Which pipeline has errors?',
    calls: [
      [
        'search_events',
        on({
          event_types: ['pipeline_logs'],
          filter: 'data.log_level == "error"',
          fields: ['data.pipeline_name'],
        }),
      ],
    ],
    facts: [/events \(4\)/, /orders_to_lake/],
  },
  {
    question: 'What is special about the errors of agents?',
    calls: [
      [
        'compare_events',
        on({
          event_types: ['agent_logs'],
          selection: { filter: 'data.log_level == "error"', time_range: { relative: '1h' } },
          baseline: { filter: 'data.log_level == "info"', time_range: { relative: '1h' } },
        }),
      ],
    ],
    facts: [
      /^data\.module\tstorage\t100\t0\t100\ttelling$/m,
      /^data\.agent_id\tagent-b\t100\t/m,
      // Fields in the filters differ by definition, and ids always differ; both come after informative fields.
      /^data\.log_level\terror\t100\t0\t100\tfiltered$[\s\S]*^id\t\S+\t.*\tunique$/m,
      /^(?![\s\S]*\t(?:filtered|constant|unique)\n[\s\S]*\ttelling\n)/,
    ],
  },
  {
    question: 'Did a diagnostic change today?',
    calls: [
      [
        'search_events',
        on({
          event_types: ['diagnostics_logs'],
          time_range: { relative: '24h' },
          fields: ['data.transition'],
        }),
      ],
    ],
    facts: [/None of 2 agents has the jobs role\./, /failed/],
  },
  {
    question: 'How high was the lag of analytics at most?',
    calls: [
      [
        'aggregate_events',
        on({
          event_types: ['cluster_metrics'],
          filter: 'data.tags.consumer_group == "analytics"',
          aggregation: 'max',
          field: 'data.value',
          time_range: { relative: '24h' },
        }),
      ],
    ],
    facts: [/\t1190/],
  },
  {
    question: 'How high was the lag of analytics on average?',
    calls: [
      [
        'aggregate_events',
        on({
          event_types: ['cluster_metrics'],
          aggregation: 'avg',
          field: 'data.value',
          time_range: { relative: '24h' },
        }),
      ],
    ],
    // The average over all 120 values, however they are spread over time.
    facts: [/^\t120\t595$/m],
  },
  {
    question: 'Who was denied what, by principal and operation?',
    calls: [['aggregate_events', on({ ...acls, group_by: 'data.principal', then_by: 'data.operation' })]],
    facts: [
      /^key\tthen_key\tcount\tvalue$/m,
      /^User:ccn_reports\tREAD\t40\t40$/m,
      /^User:ccn_shop\tWRITE\t15\t15$/m,
      /search_events with a value of a group in the filter/,
    ],
  },
  {
    question: 'Which agents log errors, and in which module?',
    calls: [
      [
        'aggregate_events',
        onAgentErrors({
          group_by: 'data.agent_id',
          then_by: 'data.module',
        }),
      ],
    ],
    facts: [/^agent-b\tstorage\t12/m],
  },
  {
    question: 'When did the errors of agents happen?',
    calls: [
      [
        'aggregate_events',
        onAgentErrors({
          time_range: { relative: '24h' },
          over_time: true,
        }),
      ],
    ],
    // Only the part of the day that has events.
    facts: [/bucket_seconds: 900/, /first_bucket: \d{4}-/, /^\t12\t12\t\d+(?:,\d+){0,3}$/m],
  },
  {
    question: 'Can I group by data.user?',
    calls: [
      ['aggregate_events', on({ ...acls, group_by: 'data.user' })],
      ['list_event_fields', on({ ...acls, query: 'princ' })],
    ],
    facts: [/No event has data\.user; list_event_fields /, /^data\.principal\tstring\t100/m],
  },
  {
    question: 'How much would it take to look for denials of shop in the whole day?',
    calls: [
      [
        'check_filter',
        on({ ...acls, filter: 'data.principal == "User:ccn_shop"', time_range: { relative: '24h' } }),
      ],
      ['check_filter', on({ filter: 'data.principal == "User:ccn_shop"', time_range: { relative: '24h' } })],
    ],
    facts: [/estimate\.events: 55\nestimate\.bytes: \d{4,5}\n/, /estimate\.events: 494\n/],
  },
  {
    question: 'What is an example of a pipeline error, in full?',
    calls: [
      ['search_events', on({ event_types: ['pipeline_logs'], limit: 1, format: 'detailed' })],
      ['get_event', on({ event_id: 'pipeline_logs-3' })],
    ],
    facts: [/"pipeline_name":"orders_to_lake"/, /event\.data\.stage: map/, /With neighbors it shows/],
  },
  {
    question: 'Which fields do denials have?',
    calls: [['list_event_fields', on(acls)]],
    facts: [/^data\.principal\tstring\t100\t2\t/m, /User:ccn_reports \(40\)/],
  },
  {
    question: 'Show me one of the errors with what happened around it.',
    calls: [
      ['search_events', on({ event_types: ['agent_logs'], filter: 'data.log_level == "error"', limit: 1 })],
      ['get_event', on({ event_id: 'agent_logs-311', neighbors: 2 })],
    ],
    facts: [/the bucket did not answer/, /before \(2\)/],
  },
  {
    question: 'Can I filter with data.principal = "User:ccn_shop"?',
    calls: [
      ['check_filter', { filter: 'data.principal = "User:ccn_shop"' }],
      ['check_filter', { filter: 'data.principal == "User:ccn_shop"' }],
    ],
    facts: [
      /is_valid: false/,
      /marked: data\.principal >>>=<<< "User:ccn_shop"/,
      /is_valid: true/,
      /search_events take it/,
    ],
  },
  {
    question: 'What happened in the last three days?',
    calls: [
      ['search_events', on({ time_range: { relative: '72h' } })],
      ['aggregate_events', on({ time_range: { relative: '24h' }, group_by: 'type' })],
    ],
    facts: [/window_too_large: .*Use time_range/, /^acl_logs\t55/m],
  },
  {
    question: 'Is data.principle a field?',
    calls: [['check_filter', { filter: 'data.principle == "x"', event_types: ['acl_logs'] }]],
    facts: [/is_valid: true/, /data\.principal/],
  },
  {
    question: 'What of the cluster ordres?',
    calls: [['list_topics', { virtual_cluster_id: 'ordres' }]],
    facts: [/cluster_not_found: .*orders/],
  },
];
