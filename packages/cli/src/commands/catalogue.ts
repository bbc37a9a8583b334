/**
 * Every command, once. Dispatch, help and the reference page derive from this list.
 *
 * A planned command has flags and help, and is rejected until its feature exists.
 */
interface CommandRow {
  /** The words after `weir`. A command of several words belongs to the family of those before its last. */
  readonly name: string;
  readonly status: 'available' | 'planned';
  /** One sentence. */
  readonly help: string;
  /** Earlier names that still work and print a warning. */
  readonly deprecatedNames?: readonly string[];
  /** Whether a command after `--` runs beside the server, which stops when the command ends. */
  readonly runsCommand?: true;
}

export const commands = [
  { name: 'help', status: 'available', help: 'Show the commands, or the flags of a command.' },
  { name: 'version', status: 'available', help: 'Print the release of this binary.' },
  {
    name: 'completion',
    status: 'available',
    help: 'Print a shell completion script; the next word names the shell.',
  },
  { name: 'completion bash', status: 'available', help: 'Print the bash completion script.' },
  { name: 'completion zsh', status: 'available', help: 'Print the zsh completion script.' },
  { name: 'completion fish', status: 'available', help: 'Print the fish completion script.' },
  {
    name: 'agent',
    status: 'available',
    help: 'Serve the clients of one cluster and run its background jobs.',
  },
  {
    name: 'control-plane',
    status: 'available',
    help: 'Run the control plane: metadata, API, console and sign-in.',
  },
  {
    name: 'control-plane restore',
    status: 'available',
    help: 'Rebuild the metadata of a cluster from its bucket into an empty database.',
  },
  { name: 'metrics', status: 'available', help: 'Publish the metrics of one cluster.' },
  {
    name: 'local',
    status: 'available',
    help: 'Run a cluster in memory in one process, for tests and CI.',
    runsCommand: true,
  },
  {
    name: 'playground',
    status: 'available',
    help: 'Run a cluster on this machine that keeps its data between runs.',
  },
  {
    name: 'demo',
    status: 'available',
    help: 'Run a cluster with example clients that produce, consume, lag and are denied.',
  },
  {
    name: 'apply',
    status: 'available',
    help: 'Create and update clusters, topics, ACLs, credentials and events from files.',
  },
  {
    name: 'secret',
    status: 'available',
    help: 'Manage the secrets of a cluster; the next word names the action.',
  },
  {
    name: 'secret create',
    status: 'available',
    help: 'Create a secret with a value from standard input or a file.',
  },
  { name: 'secret list', status: 'available', help: 'List secrets, without their values.' },
  {
    name: 'secret rotate',
    status: 'available',
    help: 'Set a new value of a secret; jobs restart with it.',
  },
  { name: 'secret delete', status: 'available', help: 'Delete a secret that is not in use.' },
  { name: 'kcmd', status: 'available', help: 'Send one Kafka request and print the response.' },
  {
    name: 'cli',
    status: 'available',
    help: 'Run a Kafka tool; the next word names it.',
    deprecatedNames: ['cli-beta'],
  },
  {
    name: 'cli-old',
    status: 'available',
    help: 'Run a cli tool with the flag spellings from before v821.',
  },
  { name: 'cli list-topics', status: 'available', help: 'List the topics of the cluster.' },
  { name: 'cli create-topic', status: 'available', help: 'Create a topic.' },
  {
    name: 'cli describe-topic',
    status: 'available',
    help: 'Show the partitions of a topic, their leaders and offsets.',
  },
  { name: 'cli delete-topic', status: 'available', help: 'Delete a topic with all its records.' },
  {
    name: 'cli produce',
    status: 'available',
    help: 'Produce records from a flag or from lines of standard input.',
  },
  { name: 'cli fetch', status: 'available', help: 'Read records of a topic and print them.' },
  { name: 'cli create-acls', status: 'available', help: 'Add ACLs.' },
  { name: 'cli describe-acls', status: 'available', help: 'List the ACLs that match a filter.' },
  { name: 'cli delete-acls', status: 'available', help: 'Delete the ACLs that match a filter.' },
  { name: 'cli describe-quotas', status: 'available', help: 'List the quotas of clients.' },
  {
    name: 'cli alter-quotas',
    status: 'available',
    help: 'Set or remove quotas of a user, a client id or an IP address.',
  },
  {
    name: 'cli who-may',
    status: 'available',
    help: 'Show which principals may do what on a resource, and why.',
  },
  { name: 'cli describe-broker-configs', status: 'available', help: 'Show the configs of the cluster.' },
  {
    name: 'cli alter-broker-configs',
    status: 'available',
    help: 'Set configs of the cluster; other configs stay unchanged.',
  },
  {
    name: 'cli delete-broker-config',
    status: 'available',
    help: 'Reset a config of the cluster to its default.',
  },
  { name: 'cli describe-topic-configs', status: 'available', help: 'Show the configs of a topic.' },
  {
    name: 'cli alter-topic-configs',
    status: 'available',
    help: 'Set configs of a topic; other configs stay unchanged.',
  },
  {
    name: 'cli delete-topic-config',
    status: 'available',
    help: 'Reset a config of a topic to its default.',
  },
  {
    name: 'cli describe-groups',
    status: 'available',
    help: 'Show consumer groups, their state and their members.',
  },
  { name: 'cli describe-log-dirs', status: 'available', help: 'Show the size of each partition in bytes.' },
  { name: 'cli consumer-group-lag', status: 'available', help: 'Show the lag of a consumer group.' },
  {
    name: 'cli reset-offsets',
    status: 'available',
    help: 'Preview and reset the committed offsets of a consumer group.',
  },
  {
    name: 'cli console-producer',
    status: 'available',
    help: 'Produce the lines of standard input as records.',
  },
  {
    name: 'cli console-consumer',
    status: 'available',
    help: 'Print the records of a topic as they arrive.',
  },
  { name: 'cli benchmark-producer', status: 'available', help: 'Produce records at a rate and measure it.' },
  {
    name: 'cli benchmark-consumer',
    status: 'available',
    help: 'Fetch records as fast as possible and measure it.',
  },
  {
    name: 'cli drill',
    status: 'available',
    help: 'Report what clients notice of a fault that you cause.',
    runsCommand: true,
  },
  {
    name: 'cli diagnose-connection',
    status: 'available',
    help: 'Test a connection step by step and report what fails.',
  },
  { name: 'cli diagnose-record', status: 'available', help: 'Show how and where one record is stored.' },
  { name: 'cli file-reader', status: 'available', help: 'Print the contents of one file of a bucket.' },
  {
    name: 'cli file-scrubber',
    status: 'available',
    help: 'Verify all files of a cluster against its metadata.',
  },
  {
    name: 'cli validate-pipeline-config',
    status: 'available',
    help: 'Check the configuration file of a pipeline.',
  },
  {
    name: 'cli run-pipeline',
    status: 'available',
    help: 'Run a pipeline on this machine until its input ends.',
  },
  {
    name: 'cli blobl',
    status: 'available',
    help: 'Run a Bloblang mapping on lines of standard input.',
  },
  { name: 'cli events', status: 'available', help: 'Run a tool for events; the next word names it.' },
  { name: 'cli events search', status: 'available', help: 'Print the events that match a filter.' },
  { name: 'cli events tail', status: 'available', help: 'Print events as they happen.' },
  { name: 'cli events enable', status: 'available', help: 'Record events of a cluster.' },
  { name: 'cli events disable', status: 'available', help: 'Stop recording events of a cluster.' },
  {
    name: 'cli events fields',
    status: 'available',
    help: 'Show the fields of events and their most frequent values.',
  },
  { name: 'cli tables', status: 'available', help: 'Run a tool for tables; the next word names it.' },
  { name: 'cli tables list', status: 'available', help: 'List the tables of a data lake cluster.' },
  {
    name: 'cli tables describe',
    status: 'available',
    help: 'Show columns, partitioning and snapshots of a table.',
  },
  { name: 'cli tables files', status: 'available', help: 'List the data files of a table.' },
  { name: 'cli tables query', status: 'available', help: 'Run a SELECT over tables and print the rows.' },
  {
    name: 'cli tables failures',
    status: 'available',
    help: 'List records that could not be rows of a table and were kept.',
  },
  {
    name: 'cli tables replay',
    status: 'available',
    help: 'Read the kept records of a table again.',
  },
  {
    name: 'cli migrate',
    status: 'available',
    help: 'Show how far a migration is, and what to do next.',
  },
  {
    name: 'cli migrate preflight',
    status: 'available',
    help: 'Show what a migration does to topics, configs, ACLs, groups.',
  },
  { name: 'cli migrate start', status: 'available', help: 'Create a migration from a file, and start it.' },
  {
    name: 'cli migrate status',
    status: 'available',
    help: 'Show the progress of topics, and what holds them back.',
  },
  {
    name: 'cli migrate forward',
    status: 'available',
    help: 'Pass writes to topics of a migration on to the source.',
  },
  {
    name: 'cli migrate cut-over',
    status: 'available',
    help: 'Let agents serve writes themselves, once the copy has caught up.',
  },
  {
    name: 'cli migrate abort',
    status: 'available',
    help: 'End a cut-over, or forwarding as a whole.',
  },
  {
    name: 'cli migrate hand-over',
    status: 'available',
    help: 'Give topics to clients for good, without a cut-over.',
  },
  {
    name: 'cli migrate recopy',
    status: 'available',
    help: 'Delete the copy of a topic, so that it is made again.',
  },
  { name: 'cli migrate pause', status: 'available', help: 'Pause a migration; nothing is copied.' },
  {
    name: 'cli migrate resume',
    status: 'available',
    help: 'Resume a migration; stopped partitions are looked at again.',
  },
  {
    name: 'cli clone-cluster',
    status: 'available',
    help: 'Clone a cluster without copying its records.',
  },
  {
    name: 'cli clone-topic',
    status: 'available',
    help: 'Clone a topic with its records, without copying them.',
  },
  {
    name: 'cli storage-costs',
    status: 'available',
    help: 'Show the storage and requests of a cluster and their cost.',
  },
  {
    name: 'cli plan-capacity',
    status: 'available',
    help: 'Show which cluster a load needs, and what its bucket costs.',
  },
  { name: 'cli list-subjects', status: 'available', help: 'List the subjects of a schema registry.' },
  {
    name: 'cli describe-schema',
    status: 'available',
    help: 'Show a schema and the compatibility level of its subject.',
  },
  {
    name: 'cli register-schema',
    status: 'available',
    help: 'Register a schema as the next version of a subject.',
  },
  {
    name: 'cli check-schema',
    status: 'available',
    help: 'Check the compatibility of a schema and show the differences.',
  },
  {
    name: 'cli delete-schema',
    status: 'available',
    help: 'Delete a subject of a schema registry, or one version.',
  },
  {
    name: 'cli schema-config',
    status: 'available',
    help: 'Show or set the compatibility level and mode of a subject.',
  },
  { name: 'cli create-key', status: 'available', help: 'Create an API key and print its secret once.' },
  {
    name: 'cli rotate-credential',
    status: 'available',
    help: 'Set a new password of a credential, and print it once.',
  },
  {
    name: 'cli end-rotation',
    status: 'available',
    help: 'End the old password of a credential that is being rotated.',
  },
  {
    name: 'cli mcp-config',
    status: 'available',
    help: 'Create read-only keys and print the configuration of MCP clients.',
  },
  { name: 'cli delete-all-topics-unsafe', status: 'available', help: 'Delete every topic of the cluster.' },
] as const satisfies readonly CommandRow[];

export type CommandName = (typeof commands)[number]['name'];
export type AvailableCommandName = Extract<(typeof commands)[number], { status: 'available' }>['name'];
export type CliToolName = Extract<CommandName, `cli ${string}`>;

export const commandNames: readonly CommandName[] = commands.map(({ name }) => name);

/** The tools of the `cli` family. */
export const cliTools: readonly CliToolName[] = commandNames.filter((name) =>
  name.startsWith('cli '),
) as CliToolName[];

/** The row of a command. Every name has one, because the names are taken from the rows. */
export function commandRow(name: CommandName): CommandRow {
  return commands.find((command) => command.name === name)!;
}
